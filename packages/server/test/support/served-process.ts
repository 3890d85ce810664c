// `botel serve` as a process of its own, which may be killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { checkoutPath } from '../../src/core/lib/checkout.ts';
import { until } from './until.ts';
import { noRates } from './no-rates.ts';

// Without it each start compiles the server anew.
const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
const cheapPasswords = { BOTEL_TEST: '1', BOTEL_CHEAP_PASSWORDS: '1' };
const startDeadlineMs = 30_000;

export interface ServedProcess {
  pid: number;
  url: string;
  isAlive(): boolean;
  /** All that it has printed so far. */
  printed(): string;
  /** Sends the signal to a process that still lives; resolves when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Resolves when it is gone by itself: a failpoint ends it. */
  dies(): Promise<void>;
}

/** One half of the server or the gateway alone, and the user (also as group) that it runs as. */
export interface ServedAs {
  role?: 'api' | 'agent' | 'gateway';
  uid?: number | undefined;
}

/** Resolves when it listens; `settings` are environment variables. What it prints is shown only
 * when it ends unasked. */
export async function serve(settings: Record<string, string>, { role, uid }: ServedAs = {}): Promise<ServedProcess> {
  const half = role ? ['--role', role] : [];
  // As the launcher starts it.
  const args = ['--max-semi-space-size=16', checkoutPath('packages/server/src/main.ts'), 'serve', ...half];
  const child = spawn(process.execPath, args, {
    ...(uid !== undefined && { uid, gid: uid }),
    // Not the port after the server's, which another process may have by the next start.
    env: { PATH, NODE_COMPILE_CACHE, BOTEL_GATEWAY_PORT: '0', ...noRates, ...cheapPasswords, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let isAsked = false;
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text));
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      if (!isAsked) process.stderr.write(`botel serve ended with ${code ?? signal}:\n${printed}\n`);
      resolve();
    });
  });
  const url = await until(async () => {
    if (!isAlive(child)) throw new Error('botel serve did not start');
    return /^(?:Botel listens|Apps are served) on (\S+)$/m.exec(printed)?.[1] ?? null;
  }, startDeadlineMs);
  return {
    pid: child.pid ?? 0,
    url,
    isAlive: () => isAlive(child),
    printed: () => printed,
    dies() {
      isAsked = true;
      return ended;
    },
    async end(signal) {
      isAsked = true;
      if (isAlive(child)) child.kill(signal);
      await ended;
    },
  };
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}
