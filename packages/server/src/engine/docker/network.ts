// Makes sure that the bots' bridge network exists and keeps bots apart. The network is shared by the installs of a
// machine and never removed. Must not touch containers or firewall rules.
import { EngineError } from '../engine.ts';
import { messageOf } from './client.ts';
import type { DockerClient } from './client.ts';
import { labelNames } from './create-body.ts';

export interface BotNetwork {
  name: string;
  /** Name of the bridge device on the host, at most 15 characters. */
  bridge: string;
}

const iccOption = 'com.docker.network.bridge.enable_icc';

/** Resolves when the network is there; `refused` when one of that name would let bots reach each other. */
export async function ensureNetwork(client: DockerClient, network: BotNetwork, installId: string): Promise<void> {
  if (await isPresent(client, network.name)) return;
  const { status, body } = await client.request('POST', '/networks/create', {
    body: {
      Name: network.name,
      CheckDuplicate: true,
      Driver: 'bridge',
      EnableIPv6: false,
      Options: { 'com.docker.network.bridge.name': network.bridge, [iccOption]: 'false' },
      Labels: { [labelNames.install]: installId },
    },
  });
  if (status === 201) return;
  // Another install may have made it in between.
  if (await isPresent(client, network.name)) return;
  throw new EngineError('refused', messageOf(body));
}

async function isPresent(client: DockerClient, name: string): Promise<boolean> {
  const { status, body } = await client.request('GET', `/networks/${encodeURIComponent(name)}`);
  if (status === 404) return false;
  if (status !== 200) throw new EngineError('refused', messageOf(body));
  const { Driver, Options } = body as { Driver: string; Options: Record<string, string> | null };
  if (Driver === 'bridge' && Options?.[iccOption] === 'false') return true;
  throw new EngineError('refused', `The network "${name}" exists but does not keep bots apart; remove it`);
}
