// The part of the composition root that makes the engine and what guards its network. Must not be imported by anything
// but server.ts.
import { join } from 'node:path';
import { checkoutPath } from '../core/lib/checkout.ts';
import type { Config } from '../core/config/config.ts';
import { BotImages } from '../agent/engine/docker/bot-images.ts';
import { DockerClient } from '../agent/engine/docker/client.ts';
import { ControlGroups } from '../agent/engine/docker/cgroup.ts';
import { DockerEngine } from '../agent/engine/docker/docker-engine.ts';
import { RuntimeImages } from '../agent/engine/docker/runtime-images.ts';
import type { Engine } from '../agent/engine/engine.ts';
import { FakeEngine } from '../agent/engine/fake/fake-engine.ts';
import { FakeMachine } from '../agent/engine/fake/fake-machine.ts';
import type { Clock } from '../core/lib/clock.ts';
import { lockFile } from '../core/lib/file-lock.ts';
import type { Ids } from '../core/lib/ids.ts';
import { limitBandwidth } from '../agent/network/bandwidth.ts';
import { Firewall, type FirewallOptions, type NetworkGuard, noGuard } from '../agent/network/firewall.ts';
import { policyOf } from '../agent/network/policy.ts';
import { systemTables } from '../agent/network/tables.ts';
import type { LimitContainer } from '../agent/tasks/limit-bandwidth.ts';

interface Surroundings {
  installId: string;
  clock: Clock;
  ids: Ids;
  report: FirewallOptions['report'];
}

export interface MadeEngine {
  engine: Engine;
  guard: NetworkGuard;
  /** Limits the bandwidth of a container; it never does for the fake engine. */
  limit: LimitContainer;
}

export const noLimit: LimitContainer = async () => true;

/** The fake engine never touches the machine's firewall. */
export function makeEngine(config: Config, surroundings: Surroundings): MadeEngine {
  const { installId, clock, ids, report } = surroundings;
  if (config.engine === 'fake') {
    const machine = new FakeMachine({ clock, ids, directory: join(config.dataDirectory, 'fake') });
    return { engine: new FakeEngine({ machine, installId }), guard: noGuard, limit: noLimit };
  }
  // Of their own: what makes images must build and pull, what runs bots must not.
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
