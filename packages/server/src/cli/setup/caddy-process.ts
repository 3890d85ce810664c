// Runs Caddy as a child of `botel up --tls`: restarts it when it ends, and ends it with Botel, even
// a killed one. As the user of Caddy's package where possible, with only the privilege to bind low
// ports.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { checkoutPath } from '../../core/lib/checkout.ts';
import { systemPath } from '../../core/lib/program.ts';
import { caddyUser, prepareFolder } from './caddy-user.ts';

export interface CaddyOptions {
  program: string;
  /** Certificates and keys are stored in its folder `caddy`. */
  dataDirectory: string;
  /** Variables of the Caddyfile. */
  environment: Record<string, string>;
  /** Port that answers once Caddy serves. */
  port: number;
  /** Receives its errors and changes of its state. */
  report(text: string): void;
  /** Pause before the first restart; for tests. */
  firstPauseMs?: number;
}

const patienceMs = 30_000;
const pollMs = 50;
/** Longer than the grace period for streams in the Caddyfile. */
const graceMs = 15_000;
const longestPauseMs = 60_000;
/** After this uptime, it is restarted at once. */
const soundMs = 60_000;
const keptLines = 12;

export class CaddyProcess {
  readonly #options: CaddyOptions;
  readonly #firstPauseMs: number;
  readonly #stopping = new AbortController();
  readonly #lines: string[] = [];
  #child: ChildProcess;
  #watched: Promise<void> = Promise.resolve();

  private constructor(options: CaddyOptions) {
    this.#options = options;
    this.#firstPauseMs = options.firstPauseMs ?? 1000;
    this.#child = this.#spawn();
  }

  /** Resolves once Caddy listens. Rejects with its last output when it ends earlier. */
  static async start(options: CaddyOptions): Promise<CaddyProcess> {
    const caddy = new CaddyProcess(options);
    const child = caddy.#child;
    const deadline = performance.now() + patienceMs;
    while (!(await answers(options.port))) {
      const isGone = hasEnded(child);
      if (isGone || performance.now() > deadline) {
        await caddy.stop();
        const what = isGone
          ? `Caddy exited immediately (${child.signalCode ?? child.exitCode})`
          : 'Caddy does not answer';
        throw new Error([`${what}; the end of its output:`, ...caddy.#lines].join('\n'));
      }
      await pause(pollMs);
    }
    caddy.#watched = caddy.#watch();
    return caddy;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when Caddy is gone; open streams get some seconds. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    if (!hasEnded(child)) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await gone;
      clearTimeout(timer);
    }
    await this.#watched;
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stopping;
    let pauseMs = this.#firstPauseMs;
    for (;;) {
      const began = performance.now();
      const child = this.#child;
      if (!hasEnded(child)) await once(child, 'exit');
      if (signal.aborted) return;
      if (performance.now() - began > soundMs) pauseMs = this.#firstPauseMs;
      const seconds = (pauseMs / 1000).toFixed(0);
      this.#options.report(`Caddy ended (${child.signalCode ?? child.exitCode}); it is started again in ${seconds} s`);
      await pause(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      this.#child = this.#spawn();
    }
  }

  #spawn(): ChildProcess {
    const { program, dataDirectory, environment, report } = this.#options;
    const caddyfile = checkoutPath('packaging/caddy/Caddyfile');
    const folder = join(dataDirectory, 'caddy');
    const user = caddyUser([caddyfile, dataDirectory]);
    prepareFolder(folder, user);
    const asUser = user ? userOptions(user) : [];
    const run = [program, 'run', '--adapter', 'caddyfile', '--config', caddyfile];
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...asUser, ...run], {
      cwd: '/',
      // A separate process group: Ctrl-C goes to Botel, which ends Caddy after its own streams.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
      // Not Botel's environment, which holds secrets.
      env: { PATH: systemPath, HOME: folder, XDG_DATA_HOME: dataDirectory, XDG_CONFIG_HOME: folder, ...environment },
    });
    child.once('error', (error) => report(`Starting Caddy failed: ${error.message}`));
    createInterface({ input: child.stderr }).on('line', (line) => {
      const { isError, text } = readLine(line);
      this.#lines.push(text);
      if (this.#lines.length > keptLines) this.#lines.shift();
      if (isError) report(`caddy: ${text}`);
    });
    return child;
  }
}

/** No privilege except binding ports below 1024. */
function userOptions({ uid, gid }: { uid: number; gid: number }): string[] {
  const capability = '+net_bind_service';
  const identity = ['--reuid', String(uid), '--regid', String(gid), '--clear-groups', '--no-new-privs'];
  return [...identity, '--inh-caps', capability, '--ambient-caps', capability];
}

/** Caddy writes JSON, except when it can't read its configuration. */
function readLine(line: string): { isError: boolean; text: string } {
  try {
    const { level, msg, error } = JSON.parse(line) as { level?: string; msg?: string; error?: string };
    return { isError: level === 'error' || level === 'fatal', text: [msg, error].filter(Boolean).join(': ') };
  } catch {
    return { isError: true, text: line };
  }
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || pid === undefined;
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
