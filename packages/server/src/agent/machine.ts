// Connects to the container engine of the settings, and to the guard of its network.
import { join } from 'node:path';
import { checkoutPath } from '../core/lib/checkout.ts';
import type { Config } from '../core/config/config.ts';
import { BotImages } from './engine/docker/bot-images.ts';
import { DockerClient } from './engine/docker/client.ts';
import { ControlGroups } from './engine/docker/cgroup.ts';
import { DockerEngine } from './engine/docker/docker-engine.ts';
import { RuntimeImages } from './engine/docker/runtime-images.ts';
import type { Engine } from './engine/engine.ts';
import { FakeEngine } from './engine/fake/fake-engine.ts';
import { FakeMachine } from './engine/fake/fake-machine.ts';
import type { Clock } from '../core/lib/clock.ts';
import { lockFile } from '../core/lib/file-lock.ts';
import type { Ids } from '../core/lib/ids.ts';
import { limitBandwidth } from './network/bandwidth.ts';
import { Firewall, type FirewallOptions, type NetworkGuard, noGuard } from './network/firewall.ts';
import { policyOf } from './network/policy.ts';
import { systemTables } from './network/tables.ts';
import type { LimitContainer } from './tasks/limit-bandwidth.ts';

interface Deps {
  installId: string;
  clock: Clock;
  ids: Ids;
  report: FirewallOptions['report'];
}

export interface Machine {
  engine: Engine;
  guard: NetworkGuard;
  /** Limits the bandwidth of a container; does nothing with the fake engine. */
  limit: LimitContainer;
}

export const noLimit: LimitContainer = async () => true;

/** The fake engine never touches the machine's firewall. */
export function connectMachine(config: Config, deps: Deps): Machine {
  const { installId, clock, ids, report } = deps;
  if (config.engine === 'fake') {
    const machine = new FakeMachine({ clock, ids, directory: join(config.dataDirectory, 'fake') });
    return { engine: new FakeEngine({ machine, installId }), guard: noGuard, limit: noLimit };
  }
  // A separate client: preparing images needs build and pull, running bots must not have them.
  const imageClient = new DockerClient(config.dockerHost);
  const imagesDirectory = checkoutPath('images');
  const runtimes = new RuntimeImages({
    client: imageClient,
    source: config.imageSource,
    imagesDirectory,
    cacheDirectory: join(config.dataDirectory, 'cache'),
    extraCaFile: config.extraCaFile,
  });
  const images = new BotImages({ client: imageClient, installId, imagesDirectory, runtimes });
  const { containerRuntime: runtime, network, resolvers } = config;
  const client = new DockerClient(config.dockerHost);
  const engine = new DockerEngine({ client, installId, runtime, images, network, resolvers });
  const groups = new ControlGroups();
  const limit: LimitContainer = async (containerId, mbit) => {
    const processId = await groups.processOf(containerId);
    return processId !== null && limitBandwidth(network.bridge, processId, mbit);
  };
  if (config.firewall === 'off') return { engine, guard: noGuard, limit };
  const guard = new Firewall({
    tables: systemTables(),
    policy: async () => policyOf(config, await engine.network()),
    installId,
    lock: () => lockFile(`/run/botel-${network.bridge}.lock`),
    report,
  });
  return { engine, guard, limit };
}
