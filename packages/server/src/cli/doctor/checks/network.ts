// The bots' network: whether it exists, isolates bots, and has its firewall in force.
import type { Config } from '../../../core/config/config.ts';
import { DockerClient } from '../../../agent/engine/docker/client.ts';
import { findNetwork, type NetworkFacts } from '../../../agent/engine/docker/network.ts';
import { runProgram, systemPath } from '../../../core/lib/program.ts';
import { bridgeExists, closedSwitch, readBridgePorts } from '../../../agent/network/bridge-ports.ts';
import { policyOf } from '../../../agent/network/policy.ts';
import { type RuleSet, renderRules } from '../../../agent/network/rules.ts';
import { tableFaults } from '../../../agent/network/table.ts';
import { systemTables, type Tables } from '../../../agent/network/tables.ts';
import { type Check, type Finding, fix, ok, warn } from '../check.ts';

export const network: Check = {
  name: 'network',
  async run(config) {
    if (config.engine === 'fake') return [ok('fake engine: no firewall is needed')];
    const client = new DockerClient(config.dockerHost);
    try {
      const facts = await findNetwork(client, config.network);
      if (!facts) return [ok(`the first start creates the network ${config.network.name}`)];
      return [
        ok(`network ${config.network.name}: ${facts.subnet} on ${facts.bridge}`),
        ...(await walls(config, facts)),
        ...(await bandwidth()),
      ];
    } catch (error) {
      return [fix(`cannot inspect the bots' network: ${(error as Error).message}`, adviceFor(config))];
    } finally {
      await client.close();
    }
  },
};

async function walls(config: Config, facts: NetworkFacts): Promise<Finding[]> {
  if (config.firewall === 'off') {
    return [
      warn(
        'BOTEL_FIREWALL is off: bots can reach this machine and private networks unless you block them yourself',
        'Set BOTEL_FIREWALL=on, or enforce the rules in docs/operations.md yourself.',
      ),
    ];
  }
  if (!bridgeExists(facts.bridge)) {
    return [fix(`this machine has no bridge ${facts.bridge}`, 'Botel must run where the Docker Engine runs.')];
  }
  const policy = await policyOf(config, facts);
  const resolvers = policy.resolvers.length > 0 ? policy.resolvers.join(', ') : 'none';
  const exceptions = policy.allowed.length > 0 ? `, ${policy.allowed.length} exceptions from BOTEL_ALLOW_CIDRS` : '';
  return judgeWalls(await findFaults(systemTables(), renderRules(policy)), `name servers: ${resolvers}${exceptions}`);
}

async function bandwidth(): Promise<Finding[]> {
  const missing: string[] = [];
  for (const program of ['tc', 'nsenter']) {
    await runProgram(program, ['-V'], { environment: { PATH: systemPath } }).catch(() => missing.push(program));
  }
  if (missing.length === 0) return [];
  const text = `there is no ${missing.join(' and no ')}: bandwidth limits do not apply`;
  return [warn(text, 'Install iproute2 and util-linux.')];
}

/** What is wrong, one sentence each. */
async function findFaults(tables: Tables, set: RuleSet): Promise<string[]> {
  const faults = [];
  for (const family of tables.families()) faults.push(...tableFaults(await tables.read(family), set, family, null));
  const closed = await closedSwitch();
  if (closed) faults.push(`${closed} is not 1`);
  for (const port of (await readBridgePorts(set.bridge)).unisolated) faults.push(`the port ${port} is not isolated`);
  return faults;
}

export function judgeWalls(faults: string[], note: string): Finding[] {
  if (faults.length === 0) return [ok(`the firewall is in force (${note})`)];
  const advice = 'A running Botel repairs this within a minute; otherwise its log says why.';
  const isMissing = faults.some((fault) => fault.endsWith('the chains are missing'));
  if (isMissing) return [warn('the firewall is not in force: bots can reach this machine', `Start Botel. ${advice}`)];
  return [fix(`the firewall is incomplete: ${faults.join('; ')}`, advice)];
}

function adviceFor({ network: { name } }: Config): string {
  return `The firewall needs root and iptables. If the network "${name}" is not Botel's: docker network rm ${name}.`;
}
