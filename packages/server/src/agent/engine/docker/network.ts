// Creates the bots' bridge network, and refuses one that would let bots reach each other. The
// network is shared by the installs of a machine and never removed.
import { EngineError } from '../engine.ts';
import { type Answer, type DockerClient, messageOf } from './client.ts';
import { labelNames } from './create-body.ts';

type Calls = Pick<DockerClient, 'request'>;

export interface BotNetwork {
  name: string;
  /** Name of the bridge device on the host, at most 15 characters. */
  bridge: string;
}

/** The facts that the firewall needs. */
export interface NetworkFacts {
  bridge: string;
  /** The single IPv4 range of its addresses. */
  subnet: string;
}

const bridgeOption = 'com.docker.network.bridge.name';
const iccOption = 'com.docker.network.bridge.enable_icc';

/** Rejects with `refused` when a network of that name would let bots reach each other. */
export async function ensureNetwork(client: Calls, network: BotNetwork, installId: string): Promise<void> {
  if (await findNetwork(client, network)) return;
  const labels = { [labelNames.install]: installId };
  const { status, body } = await client.request('POST', '/networks/create', { body: networkBody(network, labels) });
  if (status === 201) return;
  // Another install may have created it meanwhile.
  if (await findNetwork(client, network)) return;
  throw new EngineError('refused', messageOf(body));
}

/** Body of `POST /networks/create`. */
export function networkBody(network: BotNetwork, labels: Record<string, string>) {
  return {
    Name: network.name,
    CheckDuplicate: true,
    Driver: 'bridge',
    EnableIPv6: false,
    Options: { [bridgeOption]: network.bridge, [iccOption]: 'false' },
    Labels: labels,
  };
}

/** Null when there is none; `refused` when an existing one does not keep bots apart. */
export async function findNetwork(client: Calls, network: BotNetwork): Promise<NetworkFacts | null> {
  const { status, body } = await client.request('GET', `/networks/${encodeURIComponent(network.name)}`);
  if (status === 404) return null;
  if (status !== 200) throw new EngineError('refused', messageOf(body));
  const { Driver, EnableIPv6, Options, IPAM } = body as NetworkBody;
  const subnets = (IPAM.Config ?? []).map(({ Subnet }) => Subnet);
  const [subnet] = subnets;
  const isOwn = Driver === 'bridge' && Options?.[bridgeOption] === network.bridge;
  const isApart = Options?.[iccOption] === 'false' && !EnableIPv6;
  if (isOwn && isApart && subnet !== undefined && subnets.length === 1) return { bridge: network.bridge, subnet };
  throw new EngineError('refused', `The network "${network.name}" exists but does not keep bots apart; remove it`);
}

/** Whether a call failed because a network is gone. */
export function isNetworkMissing(answer: Answer): boolean {
  return answer.status === 404 && /^network .* not found/i.test(messageOf(answer.body));
}

interface NetworkBody {
  Driver: string;
  EnableIPv6: boolean;
  Options: Record<string, string> | null;
  IPAM: { Config: { Subnet: string }[] | null };
}
