// The whole server as a process that is killed in the middle of something and started again on the
// same folder, and trees of files that are big enough to be in the middle of.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { BotelClient } from '@botel/contract/client';
import { adminEmail, adminPassword } from '../../support/fixture.ts';
import { Random } from '../../simulation/random.ts';
import { serve } from '../../support/served-process.ts';

/** Within this time what is done is over, or its moment has come. */
const momentDeadlineMs = 120_000;

export interface KillableServer extends AsyncDisposable {
  /** Signed in as the admin; stays good over restarts. */
  client: BotelClient;
  directory: string;
  readonly pid: number;
  /** SIGKILL, and nothing is started again. */
  kill(): Promise<void>;
  /** Resolves when it listens again, at the same address. */
  restart(): Promise<void>;
  /** Starts again with a failpoint, at which the process then dies: `arm('backup.named')`, act,
   * `await dies()`. */
  arm(failpoint: string): Promise<void>;
  /** Resolves when the process died by itself. */
  dies(): Promise<void>;
}

/** `more`: further variables of the environment. */
export async function startKillable(
  more: Record<string, string> = {},
  directory = mkdtempSync(join(tmpdir(), 'botel-killed-')),
): Promise<KillableServer> {
  const settings: Record<string, string> = {
    BOTEL_PORT: '0',
    BOTEL_DATA_DIR: directory,
    BOTEL_ENGINE: 'fake',
    BOTEL_ADMIN_EMAIL: adminEmail,
    BOTEL_ADMIN_PASSWORD: adminPassword,
    BOTEL_LOG_LEVEL: 'error',
    ...more,
  };
  let child = await serve(settings);
  settings.BOTEL_PORT = new URL(child.url).port;
  const client = new BotelClient(child.url);
  await client.login(adminEmail, adminPassword);
  return {
    client,
    directory,
    get pid() {
      return child.pid;
    },
    kill: () => child.end('SIGKILL'),
    async arm(failpoint) {
      await child.end('SIGKILL');
      child = await serve({ ...settings, BOTEL_TEST: '1', BOTEL_FAILPOINT: failpoint });
    },
    dies: () => child.dies(),
    async restart() {
      child = await serve(settings);
    },
    async [Symbol.asyncDispose]() {
      await child.end('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A moment to kill at: looked for again and again, from the beginning of what is done. */
export interface Moment {
  what: string;
  hasCome(elapsedMs: number): boolean;
}

/** `max` moments spread over `lengthMs`, the same for the same seed; one, unless `FAULTS_LONG` is
 * set. */
export function momentsOver(lengthMs: number, max: number, seed: number): Moment[] {
  const random = new Random(seed);
  const count = process.env.FAULTS_LONG ? max : 1;
  return Array.from({ length: count }, (_, index) => {
    const at = Math.round(((index + random.fraction()) / count) * lengthMs);
    return { what: `after ${at} ms`, hasCome: (elapsedMs) => elapsedMs >= at };
  });
}

/** Does something and kills the server at the moment, or at its end; resolves to its result, null
 * when it was cut off. */
export async function killDuring<T>(server: KillableServer, moment: Moment, work: () => Promise<T>): Promise<T | null> {
  let isOver = false;
  const began = performance.now();
  const result = work()
    .catch((error) => {
      if (isCut(error)) return null;
      throw error;
    })
    .finally(() => {
      isOver = true;
    });
  for (;;) {
    const elapsedMs = performance.now() - began;
    if (isOver || moment.hasCome(elapsedMs)) break;
    if (elapsedMs > momentDeadlineMs) throw new Error(`It was never ${moment.what}`);
    await setTimeout(1);
  }
  await server.kill();
  return result;
}

/** Whether the connection broke, in contrast to an answer that is not the expected one. */
function isCut(error: unknown): boolean {
  const { code, cause } = error as { code?: string; cause?: unknown };
  return code === 'unreachable' || error instanceof TypeError || cause instanceof TypeError;
}

/** Names in a folder, none when it is not there. */
export function namesIn(...path: string[]): string[] {
  try {
    return readdirSync(join(...path));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** Whether it is there, in a folder whose other names (of stages) are not known: `anyOf(staging,
 * 'journal')`. */
export function anyOf(directory: string, ...path: string[]): boolean {
  return namesIn(directory).some((name) => lstatSync(join(directory, name, ...path), { throwIfNoEntry: false }));
}

/** Many small files and a large one, all of which say which `side` they are of; each side has a
 * folder of its own. */
export function makeTree(directory: string, side: string): void {
  const random = new Random(side.length);
  for (let index = 0; index < 1000; index++) {
    const folder = join(directory, `folder-${index % 20}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${index}`), `${side} ${index} ${'.'.repeat(random.below(2000))}`);
  }
  mkdirSync(join(directory, `only-${side}`));
  // Does not get smaller when it is packed.
  const bytes = Buffer.alloc(2 * 1024 * 1024);
  for (let at = 0; at + 4 <= bytes.length; at += 4) bytes.writeUInt32LE(random.below(2 ** 32), at);
  bytes.write(side);
  writeFileSync(join(directory, `only-${side}`, 'large'), bytes);
  writeFileSync(join(directory, 'large'), bytes);
}

/** The same for the same names and contents. */
export function fingerprint(directory: string): string {
  const hash = createHash('sha256');
  const proxied = (at: string, shown: string) => {
    for (const name of readdirSync(at).sort()) {
      const path = join(at, name);
      if (lstatSync(path).isDirectory()) {
        hash.update(`folder ${shown}${name}\n`);
        proxied(path, `${shown}${name}/`);
      } else hash.update(`file ${shown}${name} ${createHash('sha256').update(readFileSync(path)).digest('hex')}\n`);
    }
  };
  proxied(directory, '');
  return hash.digest('hex');
}
