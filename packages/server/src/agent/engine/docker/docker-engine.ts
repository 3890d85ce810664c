// The Engine on Docker: idempotent calls with a deadline each. Only touches containers with this
// install's label; never uses exec or the archive calls.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { containerName } from '../../../core/domain/bot.ts';
import type { Runtime } from '../../../core/domain/runtime.ts';
import { Semaphore } from '../../../core/lib/semaphore.ts';
import { EngineError } from '../engine.ts';
import type {
  ContainerSpec,
  ContainerUsage,
  Engine,
  EngineChange,
  EngineInfo,
  Observation,
  OutputThrottle,
  OutputRate,
  Progress,
} from '../engine.ts';
import { accepted } from './accepted.ts';
import type { BotImages } from './bot-images.ts';
import { ControlGroups } from './cgroup.ts';
import { type Answer, type DockerClient, messageOf } from './client.ts';
import { createBody, labelNames, type Placement } from './create-body.ts';
import { dockerChanges } from './docker-changes.ts';
import { engineInfoOf, type InfoBody } from './engine-info.ts';
import { type BotNetwork, ensureNetwork, findNetwork, isNetworkMissing, type NetworkFacts } from './network.ts';
import { hasStdin, type InspectBody, isOwn, observationOf } from './observation.ts';
import { refuseMissingRuntime, refuseUnknownRuntime } from './oci-runtime.ts';
import { OutputThrottles } from './output-throttle.ts';
import { StdinWriter } from './stdin-writer.ts';

/** The Engine's image calls, see BotImages. `close` aborts preparations in progress. */
export type ImageSource = Pick<BotImages, 'find' | 'prepare' | 'list' | 'remove' | 'close'>;

/** Without uploads, which create images. */
export type EngineCalls = Omit<DockerClient, 'upload'>;

export interface DockerEngineOptions {
  client: EngineCalls;
  installId: string;
  images: ImageSource;
  /** OCI runtime of the bots' containers. */
  runtime: string;
  network: BotNetwork;
  /** Name servers of the bots; by default the engine chooses. */
  resolvers?: string[];
}

/** Milliseconds. */
const deadlines = { inspect: 5_000, list: 15_000, create: 30_000, start: 60_000, stopSlack: 10_000, kill: 10_000 };
const removeDeadlineMs = 30_000;
const pollMs = 50;
const parallelInspects = 8;

export class DockerEngine implements Engine {
  readonly #client: EngineCalls;
  readonly #images: ImageSource;
  readonly #network: BotNetwork;
  readonly #placement: Placement;
  /** Starting containers is CPU-bound: more at once only makes each of them slower. */
  readonly #starting = new Semaphore(2 * availableParallelism());
  readonly #groups = new ControlGroups();
  readonly #stdin: StdinWriter;
  readonly #throttles: OutputThrottles;
  #networkReady = false;
  #rootDirectory: string | null = null;

  constructor(options: DockerEngineOptions) {
    this.#client = options.client;
    this.#stdin = new StdinWriter(options.client);
    this.#throttles = new OutputThrottles(options.client, (id) => this.#groups.processes(id));
    this.#images = options.images;
    this.#network = options.network;
    this.#placement = {
      installId: options.installId,
      networkName: options.network.name,
      resolvers: options.resolvers ?? [],
      runtime: options.runtime,
      hostHasIpv6: existsSync('/proc/sys/net/ipv6/conf/all/disable_ipv6'),
    };
  }

  async info(): Promise<EngineInfo> {
    const [info, version] = await Promise.all([
      this.#client.request('GET', '/info', { timeoutMs: deadlines.list }),
      this.#client.request('GET', '/version', { timeoutMs: deadlines.inspect }),
    ]);
    const facts = accepted(info, 200) as InfoBody;
    const { ApiVersion } = accepted(version, 200) as { ApiVersion: string };
    refuseUnknownRuntime(facts.Runtimes, this.#placement.runtime);
    await this.#ensureNetwork();
    this.#rootDirectory = facts.DockerRootDir;
    return engineInfoOf(facts, ApiVersion);
  }

  create(spec: ContainerSpec): Promise<void> {
    return this.#starting.run(async () => {
      if (!this.#networkReady) await this.#ensureNetwork();
      const giveUpAt = performance.now() + deadlines.create;
      for (;;) {
        const answer = await this.#postCreate(spec);
        if (isNetworkMissing(answer)) await this.#ensureNetwork();
        else if (answer.status === 404) throw new EngineError('image_missing', messageOf(answer.body));
        else if (answer.status !== 409) return void accepted(answer, 201);
        else if (await this.#isAdopted(spec, messageOf(answer.body))) return;
        if (performance.now() > giveUpAt) throw new EngineError('timeout', 'The container was not made in time');
        await delay(pollMs);
      }
    });
  }

  start(containerId: string): Promise<void> {
    return this.#starting.run(async () => {
      const container = await this.#own(containerId);
      if (!container) throw new EngineError('refused', 'The container is gone');
      const { state } = this.#observation(container);
      // The engine would run an ended container a second time.
      if (state === 'exited' || state === 'removing') throw new EngineError('refused', 'The container has ended');
      let answer = await this.#post(containerId, 'start', deadlines.start);
      if (isNetworkMissing(answer)) {
        await this.#ensureNetwork();
        answer = await this.#post(containerId, 'start', deadlines.start);
      }
      accepted(answer, 204, 304);
    });
  }

  async stop(containerId: string, graceMs: number): Promise<void> {
    if (!(await this.#own(containerId))) return;
    this.#throttles.release(containerId);
    const seconds = Math.ceil(graceMs / 1000);
    const deadline = seconds * 1000 + deadlines.stopSlack;
    accepted(await this.#post(containerId, `stop?t=${seconds}`, deadline), 204, 304, 404);
  }

  async kill(containerId: string): Promise<void> {
    if (!(await this.#own(containerId))) return;
    this.#throttles.release(containerId);
    // 409: it is not running.
    accepted(await this.#post(containerId, 'kill?signal=SIGKILL', deadlines.kill), 204, 404, 409);
  }

  writeStdin(containerId: string, text: string): Promise<void> {
    return this.#stdin.write(containerId, text, async () => hasStdin(await this.#own(containerId)));
  }

  async throttleOutput(containerId: string, rate: OutputRate): Promise<OutputThrottle> {
    const container = await this.#own(containerId);
    if (container && this.#observation(container).state === 'running') return this.#throttles.hold(containerId, rate);
    throw new EngineError('refused', 'The container does not run');
  }

  async remove(containerId: string): Promise<void> {
    const container = await this.#own(containerId);
    if (!container) return;
    if (this.#observation(container).state === 'running') throw new EngineError('refused', 'The container is running');
    const giveUpAt = performance.now() + removeDeadlineMs;
    const answer = await this.#client.request('DELETE', `/containers/${containerId}?v=1`, {
      timeoutMs: removeDeadlineMs,
    });
    // 409: a removal is already in progress.
    accepted(answer, 204, 404, 409);
    while ((await this.#inspectBody(containerId)) !== null) {
      if (performance.now() > giveUpAt) throw new EngineError('timeout', 'The container was not removed in time');
      await delay(pollMs);
    }
  }

  async inspect(botId: string): Promise<Observation | null> {
    const body = await this.#inspectBody(containerName(botId));
    if (!body) return null;
    this.#refuseUnmanaged(body);
    return this.#observation(body);
  }

  async list(): Promise<Observation[]> {
    const filters = JSON.stringify({ label: [`${labelNames.install}=${this.#placement.installId}`] });
    const options = { query: { all: true, filters }, timeoutMs: deadlines.list };
    const rows = accepted(await this.#client.request('GET', '/containers/json', options), 200) as { Id: string }[];
    const inspecting = new Semaphore(parallelInspects);
    const inspect = (id: string) => this.#inspectBody(id).catch(unlessHanging);
    const bodies = await Promise.all(rows.map((row) => inspecting.run(() => inspect(row.Id))));
    return bodies.filter((body) => body !== null).map((body) => this.#observation(body));
  }

  changes(signal: AbortSignal): AsyncIterable<EngineChange> {
    return dockerChanges(this.#client, this.#placement.installId, signal);
  }

  findImage(runtime: Runtime): Promise<string | null> {
    return this.#images.find(runtime);
  }

  prepareImage(runtime: Runtime, progress: Progress): Promise<string> {
    return this.#images.prepare(runtime, progress);
  }

  packageImages(): Promise<string[]> {
    return this.#images.list();
  }

  removeImage(imageId: string): Promise<void> {
    return this.#images.remove(imageId);
  }

  async logFile(containerId: string): Promise<string> {
    refuseOddId(containerId);
    const root = this.#rootDirectory ?? (await this.info()).rootDirectory;
    return join(root, 'containers', containerId, `${containerId}-json.log`);
  }

  async memoryPeakBytes(containerId: string): Promise<number | null> {
    refuseOddId(containerId);
    return this.#groups.memoryPeakBytes(containerId);
  }

  async usage(containerId: string): Promise<ContainerUsage | null> {
    refuseOddId(containerId);
    return this.#groups.usage(containerId);
  }

  /** The bots' network as it is now; created first when it is missing. */
  async network(): Promise<NetworkFacts> {
    await this.#ensureNetwork();
    const facts = await findNetwork(this.#client, this.#network);
    if (!facts) throw new EngineError('refused', `The network "${this.#network.name}" is gone`);
    return facts;
  }

  async close(): Promise<void> {
    await this.#images.close();
    await this.#client.close();
  }

  async #ensureNetwork(): Promise<void> {
    this.#networkReady = false;
    await ensureNetwork(this.#client, this.#network, this.#placement.installId);
    this.#networkReady = true;
  }

  async #postCreate(spec: ContainerSpec): Promise<Answer> {
    const body = createBody(spec, this.#placement);
    const query = { name: spec.name };
    const options = { query, body, timeoutMs: deadlines.create };
    const answer = await this.#client.request('POST', '/containers/create', options);
    refuseMissingRuntime(answer, body.HostConfig.Runtime);
    return answer;
  }

  /** The name is taken: fine when the same run has it, e.g. because the reply to an earlier create
   * was lost. False while no container is visible under it: a create in progress holds the name
   * before its container can be inspected. */
  async #isAdopted(spec: ContainerSpec, text: string): Promise<boolean> {
    const seen = await this.inspect(spec.botId);
    if (seen && (seen.run !== spec.run || seen.state === 'removing')) throw new EngineError('refused', text);
    return seen !== null;
  }

  #post(containerId: string, verb: string, timeoutMs: number): Promise<Answer> {
    return this.#client.request('POST', `/containers/${containerId}/${verb}`, { timeoutMs });
  }

  /** The container, null when there is none; `unmanaged` when it lacks this install's label. */
  async #own(containerId: string): Promise<InspectBody | null> {
    refuseOddId(containerId);
    const body = await this.#inspectBody(containerId);
    if (body) this.#refuseUnmanaged(body);
    return body;
  }

  async #inspectBody(idOrName: string): Promise<InspectBody | null> {
    const path = `/containers/${encodeURIComponent(idOrName)}/json`;
    const answer = await this.#client.request('GET', path, { timeoutMs: deadlines.inspect });
    return answer.status === 404 ? null : (accepted(answer, 200) as InspectBody);
  }

  #observation(body: InspectBody): Observation {
    return observationOf(body, this.#network.name);
  }

  #refuseUnmanaged(body: InspectBody): void {
    if (isOwn(body, this.#placement.installId)) return;
    throw new EngineError('unmanaged', 'The name belongs to a container that is not of this install');
  }
}

function refuseOddId(containerId: string): void {
  if (!/^[0-9a-f]{64}$/.test(containerId)) throw new EngineError('refused', 'Not the id of a container');
}

/** A container whose runtime hangs is left out of lists and does not delay the others. */
function unlessHanging(error: unknown): null {
  if (error instanceof EngineError && error.code === 'timeout') return null;
  throw error;
}
