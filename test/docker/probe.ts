// Runs a command in a container the way that bots are run (own uid, read-only root, init), for
// tests on the real engine. Must remove what it made.
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DockerClient, messageOf } from '../../packages/server/src/agent/engine/docker/client.ts';

const uid = 100_001;
const launcher = join(import.meta.dirname, '../../images/base/launch');

export interface ProbeSpec {
  imageId: string;
  argv: string[];
  /** `KEY=value` beside Botel's own. */
  environment?: string[];
  stopSignal?: string;
  /** Files in the home by name; executable unless they end in .txt. */
  files?: Record<string, string | Buffer>;
}

export interface Probe {
  /** stdout and stderr as the engine recorded them. */
  output: string;
  exitCode: number;
}

/** A container under way. */
export class RunningProbe {
  readonly #client: DockerClient;
  readonly #id: string;
  readonly #home: string;

  constructor(client: DockerClient, id: string, home: string) {
    this.#client = client;
    this.#id = id;
    this.#home = home;
  }

  /** Resolves when the output contains `text`; rejects after 30 s. */
  async sees(text: string): Promise<void> {
    const deadline = Date.now() + 30_000;
    while (!(await this.output()).includes(text)) {
      if (Date.now() > deadline) throw new Error(`never saw "${text}" in:\n${await this.output()}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Resolves when exactly these command lines run in the container; rejects after 10 s. */
  async hasProcesses(expected: string[]): Promise<void> {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const { Processes } = (await this.#call('GET', '/top', { ps_args: '-o pid,args' })) as { Processes: string[][] };
      const lines = Processes.map((columns) => columns.slice(1).join(' '));
      if (lines.join('\n') === expected.join('\n')) return;
      if (Date.now() > deadline) throw new Error(`these run:\n${lines.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Sends the stop signal, SIGKILL after `graceSeconds`. */
  async stop(graceSeconds: number): Promise<void> {
    await this.#call('POST', '/stop', { t: graceSeconds });
  }

  /** Waits for the end, and removes the container. */
  async end(): Promise<Probe> {
    try {
      const { StatusCode } = (await this.#call('POST', '/wait')) as { StatusCode: number };
      return { output: await this.output(), exitCode: StatusCode };
    } finally {
      await this.remove();
    }
  }

  async remove(): Promise<void> {
    await this.#client.request('DELETE', `/containers/${this.#id}`, { query: { force: true } });
    await rm(this.#home, { recursive: true, force: true });
  }

  async output(): Promise<string> {
    const answer = await this.#client.stream('GET', `/containers/${this.#id}/logs`, {
      query: { stdout: true, stderr: true },
    });
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    return withoutFrames(Buffer.concat(chunks));
  }

  async #call(method: 'GET' | 'POST', path: string, query = {}): Promise<unknown> {
    const answer = await this.#client.request(method, `/containers/${this.#id}${path}`, { query, timeoutMs: 120_000 });
    if (answer.status >= 400) throw new Error(messageOf(answer.body));
    return answer.body;
  }
}

/** The engine that tests use. */
export function openDocker(): DockerClient {
  return new DockerClient(process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock');
}

export async function startProbe(client: DockerClient, spec: ProbeSpec): Promise<RunningProbe> {
  const home = await mkdtemp(join(tmpdir(), 'botel-probe-'));
  await chown(home, uid, uid);
  for (const [name, content] of Object.entries(spec.files ?? {})) {
    await writeFile(join(home, name), content);
    await chmod(join(home, name), name.endsWith('.txt') ? 0o644 : 0o755);
  }
  const created = await client.request('POST', '/containers/create', { body: configOf(spec, home) });
  if (created.status !== 201) throw new Error(messageOf(created.body));
  const { Id } = created.body as { Id: string };
  const probe = new RunningProbe(client, Id, home);
  const started = await client.request('POST', `/containers/${Id}/start`);
  if (started.status >= 400) {
    await probe.remove();
    throw new Error(messageOf(started.body));
  }
  return probe;
}

/** Runs to the end. */
export async function runProbe(client: DockerClient, spec: ProbeSpec): Promise<Probe> {
  return (await startProbe(client, spec)).end();
}

function configOf(spec: ProbeSpec, home: string): object {
  const bind = (Source: string, Target: string, ReadOnly: boolean) => ({ Type: 'bind', Source, Target, ReadOnly });
  return {
    Image: spec.imageId,
    Entrypoint: spec.argv.slice(0, 1),
    Cmd: spec.argv.slice(1),
    User: `${uid}:${uid}`,
    WorkingDir: '/home/bot',
    Env: ['HOME=/home/bot', 'TINI_KILL_PROCESS_GROUP=1', ...(spec.environment ?? [])],
    StopSignal: spec.stopSignal ?? 'SIGTERM',
    HostConfig: {
      Init: true,
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Memory: 512 * 1024 * 1024,
      MemorySwap: 512 * 1024 * 1024,
      PidsLimit: 256,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Tmpfs: { '/tmp': 'rw,exec,nosuid,nodev,size=64m,mode=1777' },
      Mounts: [bind(home, '/home/bot', false), bind(launcher, '/botel/launch', true)],
    },
  };
}

/** The engine's stream has a header of 8 bytes before each piece: stream number, zeros, length. */
function withoutFrames(stream: Buffer): string {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 8 <= stream.length; ) {
    const length = stream.readUInt32BE(at + 4);
    pieces.push(stream.subarray(at + 8, at + 8 + length));
    at += 8 + length;
  }
  return Buffer.concat(pieces).toString('utf8');
}
