// The firewall's policy, from the settings and the engine's network.
import { machineResolvers } from './resolvers.ts';
import { type AllowedUpstream, type NetworkPolicy, privateRanges } from './rules.ts';

/** The operator's settings. */
export interface PolicySettings {
  /** Empty: those of this machine. */
  resolvers: string[];
  blockCidrs: string[];
  allowCidrs: AllowedUpstream[];
}

export async function policyOf(
  { resolvers, blockCidrs, allowCidrs }: PolicySettings,
  { bridge, subnet }: { bridge: string; subnet: string },
): Promise<NetworkPolicy> {
  return {
    bridge,
    subnet,
    resolvers: resolvers.length > 0 ? resolvers : await machineResolvers(),
    blocked: [...privateRanges, ...blockCidrs],
    allowed: allowCidrs,
  };
}
