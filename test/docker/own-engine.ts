// A Docker engine of the test's own, to be killed at will: dockerd and containerd in a network
// namespace and folders of their own. Must never touch the machine's engine, its bridges or its
// containers.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { DockerClient, messageOf } from '../../packages/server/src/agent/engine/docker/client.ts';
import { installPackages } from '../../packages/server/src/core/lib/apt-get.ts';
import { runProgram } from '../../packages/server/src/core/lib/program.ts';
import { daemonSettings } from '../../packages/server/src/cli/setup/daemon-settings.ts';
import { until } from '../../packages/server/test/support/until.ts';

/** Folder and network namespace bear this name and six characters. */
const namePrefix = 'botel-engine-';

export interface OwnEngineOptions {
  liveRestore: boolean;
  /** Puts containers and images on a small file system of their own; counts when the engine is
   * opened. */
  dataMb?: number;
}

export class OwnEngine {
  /** As BOTEL_DOCKER_HOST wants it. */
  readonly host: string;
  readonly client: DockerClient;
  readonly #directory: string;
  #containerd: ChildProcess | null = null;
  #dockerd: ChildProcess | null = null;

  private constructor(directory: string) {
    this.#directory = directory;
    this.host = `unix://${directory}/docker.sock`;
    this.client = new DockerClient(this.host);
  }

  /** A started engine without images. Also removes what tests left that did not end by
   * themselves. */
  static async open(options: OwnEngineOptions): Promise<OwnEngine> {
    await eraseAbandoned();
    if (!existsSync('/usr/sbin/ip') && !existsSync('/sbin/ip')) await installPackages(['iproute2']);
    const directory = await mkdtemp(join(tmpdir(), namePrefix));
    await writeFile(join(directory, 'owner'), await identityOf(process.pid));
    const engine = new OwnEngine(directory);
    try {
      if (options.dataMb !== undefined) await mountSmallDisk(directory, options.dataMb);
      await runProgram('ip', ['netns', 'add', basename(directory)]);
      await runProgram('ip', ['-n', basename(directory), 'link', 'set', 'lo', 'up']);
      await engine.start(options);
      return engine;
    } catch (error) {
      await engine[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Resolves when the engine answers. */
  async start(options: OwnEngineOptions): Promise<void> {
    const path = (name: string) => join(this.#directory, name);
    await rm(path('docker.pid'), { force: true });
    await writeFile(path('containerd.toml'), containerdSettings(this.#directory));
    await writeFile(path('daemon.json'), settingsOf(options));
    await mkdir(path('containerd'), { recursive: true });
    this.#containerd ??= this.#spawn('containerd', ['--config', path('containerd.toml')]);
    await until(async () => existsSync(path('containerd/containerd.sock')), 30_000);
    this.#dockerd = this.#spawn('dockerd', placesOf(this.#directory));
    await until(() => this.answers(), 60_000);
  }

  /** Files that tell the engine's settings and its process. */
  get places(): { settingsFile: string; pidFile: string } {
    return { settingsFile: join(this.#directory, 'daemon.json'), pidFile: join(this.#directory, 'docker.pid') };
  }

  /** Where containers and images are. */
  get dataDirectory(): string {
    return join(this.#directory, 'data');
  }

  /** Ends the engine; SIGKILL takes containerd with it. Resolves when the processes are gone. */
  async kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await end(this.#dockerd, signal);
    this.#dockerd = null;
    if (signal === 'SIGTERM') return;
    await end(this.#containerd, signal);
    this.#containerd = null;
    await rm(join(this.#directory, 'containerd/containerd.sock'), { force: true });
  }

  /** The engine answers nothing more, until `thaw`. */
  freeze(): void {
    this.#dockerd?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#dockerd?.kill('SIGCONT');
  }

  /** Ends the engine, its shims and all its containers at once, as the loss of power does. */
  async crash(): Promise<void> {
    await killAll(this.#directory);
    await this.kill('SIGKILL');
  }

  /** Ends the engine cleanly and starts it anew. */
  async restart(options: OwnEngineOptions): Promise<void> {
    await this.kill('SIGTERM');
    await this.start(options);
  }

  async answers(): Promise<boolean> {
    if (this.#dockerd && this.#dockerd.exitCode !== null) throw new Error(`dockerd ended; see ${this.#directory}`);
    const answer = await this.client.request('GET', '/version', { timeoutMs: 5_000 }).catch(() => null);
    return answer?.status === 200;
  }

  /** Copies an image from another engine. */
  async loadImage(from: DockerClient, name: string): Promise<void> {
    const image = await from.stream('GET', `/images/${name}/get`);
    const body = Readable.from(image, { objectMode: false });
    const answer = await this.client.upload('POST', '/images/load', { contentType: 'application/x-tar', body });
    let text = '';
    for await (const chunk of answer) text += chunk.toString();
    if (answer.status !== 200 || text.includes('"error"')) throw new Error(`The image was not loaded: ${text}`);
  }

  /** Takes everything away, in whatever state it is. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#dockerd && (await this.answers().catch(() => false))) await this.#removeContainers();
    await this.client.close();
    await this.kill('SIGKILL');
    await erase(this.#directory);
  }

  async #removeContainers(): Promise<void> {
    const { body } = await this.client.request('GET', '/containers/json', { query: { all: true } });
    for (const { Id } of body as { Id: string }[]) {
      const gone = await this.client.request('DELETE', `/containers/${Id}`, { query: { force: true } });
      if (gone.status >= 500) throw new Error(messageOf(gone.body));
    }
  }

  #spawn(program: string, args: string[]): ChildProcess {
    const log = openSync(join(this.#directory, `${program}.log`), 'a', 0o600);
    // Not `ip netns exec`: it would hide the control groups.
    const enter = [`--net=/var/run/netns/${basename(this.#directory)}`, program, ...args];
    const child = spawn('nsenter', enter, { detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    return child;
  }
}

async function mountSmallDisk(directory: string, megabytes: number): Promise<void> {
  const image = join(directory, 'data.img');
  await mkdir(join(directory, 'data'));
  await runProgram('truncate', [`--size=${megabytes}M`, image]);
  await runProgram('mkfs.ext4', ['-q', '-m', '0', image]);
  await runProgram('mount', ['-o', 'loop', image, join(directory, 'data')]);
}

/** What is not in its settings, which are like those that Botel writes for an engine that it
 * installs. */
function placesOf(directory: string): string[] {
  return [
    `--config-file=${directory}/daemon.json`,
    `--data-root=${directory}/data`,
    `--exec-root=${directory}/exec`,
    `--pidfile=${directory}/docker.pid`,
    `--host=unix://${directory}/docker.sock`,
    `--containerd=${directory}/containerd/containerd.sock`,
    '--bridge=none',
    '--iptables=false',
  ];
}

function settingsOf({ liveRestore }: OwnEngineOptions): string {
  return liveRestore ? daemonSettings() : JSON.stringify({ 'live-restore': false });
}

function containerdSettings(directory: string): string {
  return `version = 2
root = "${directory}/containerd/root"
state = "${directory}/containerd/state"
disabled_plugins = ["io.containerd.grpc.v1.cri"]
[grpc]
address = "${directory}/containerd/containerd.sock"
`;
}

async function end(child: ChildProcess | null, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Removes engines whose test process is gone. */
async function eraseAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(namePrefix)) continue;
    const directory = join(tmpdir(), name);
    const owner = await readFile(join(directory, 'owner'), 'utf8').catch(() => '');
    const isAlive = owner !== '' && owner === (await identityOf(Number.parseInt(owner, 10)).catch(() => ''));
    if (!isAlive) await erase(directory);
  }
}

/** Process id and time of its start: ids are used again. */
async function identityOf(processId: number): Promise<string> {
  const stat = await readFile(`/proc/${processId}/stat`, 'utf8');
  return `${processId} ${stat.slice(stat.lastIndexOf(')')).split(' ')[20]}`;
}

/** Ends the processes of the engine in this folder and of its containers, and removes all that they
 * had. */
async function erase(directory: string): Promise<void> {
  const containers = await killAll(directory);
  for (const path of (await mountsBelow(directory)).reverse()) await runProgram('umount', ['-l', path]);
  await removeControlGroups(containers);
  if (existsSync(`/var/run/netns/${basename(directory)}`)) {
    await runProgram('ip', ['netns', 'delete', basename(directory)]);
  }
  await rm(directory, { recursive: true, force: true });
}

/** Resolves with the containers that there are, once no process of them and of the engine is
 * left. */
async function killAll(directory: string): Promise<string[]> {
  const containers = await readdir(join(directory, 'data/containers')).catch((): string[] => []);
  await until(async () => {
    const left = await processesOf(directory, containers);
    for (const processId of left) kill(processId);
    return left.length === 0;
  });
  return containers;
}

function kill(processId: number): void {
  try {
    process.kill(processId, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Programs that name the folder in their arguments (engine, shims), and those in a control group
 * of a container. */
async function processesOf(directory: string, containers: string[]): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    const processId = Number(name);
    if (!Number.isSafeInteger(processId) || processId === process.pid) continue;
    // A process may go away at any moment.
    const read = (file: string) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '');
    const [program = '', ...args] = (await read('cmdline')).split('\0');
    const isEngine = /^(dockerd|containerd|nsenter|containerd-shim.*|runsc.*)$/.test(basename(program));
    const isOwn = isEngine && args.some((argument) => argument.includes(`${directory}/`));
    const groups = program === '' || containers.length === 0 ? '' : await read('cgroup');
    if (isOwn || containers.some((container) => groups.includes(container))) found.push(processId);
  }
  return found;
}

async function mountsBelow(directory: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  return lines.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${directory}/`));
}

/** Groups of containers that lost their engine before they ended. */
async function removeControlGroups(containers: string[]): Promise<void> {
  const root = '/sys/fs/cgroup';
  const hierarchies = ['.', ...(await readdir(root))];
  for (const hierarchy of hierarchies) {
    for (const container of containers) {
      await rmdir(join(root, hierarchy, 'docker', container)).catch((error: NodeJS.ErrnoException) => {
        // Most are gone already; one whose last process is not reaped yet is harmless.
        if (!['ENOENT', 'ENOTDIR', 'EBUSY'].includes(error.code ?? '')) throw error;
      });
    }
  }
}
