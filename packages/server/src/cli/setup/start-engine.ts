// Starts an installed Docker engine: by systemd, else as a process that outlives this one.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { runProgram } from '../../core/lib/program.ts';

export interface StartOptions {
  /** Whether the engine answers. */
  answers(): Promise<boolean>;
  /** Receives the engine's output without systemd. */
  logFile: string;
  progress(text: string): void;
  /** For tests. */
  places?: EnginePlaces;
}

/** Paths of an engine and its leftovers. */
interface EnginePlaces {
  program: string;
  pidFile: string;
  containerdSocket: string;
  hasSystemd: boolean | null;
}

const usualPlaces: EnginePlaces = {
  program: 'dockerd',
  pidFile: '/var/run/docker.pid',
  containerdSocket: '/run/containerd/containerd.sock',
  hasSystemd: null,
};

const patienceMs = 60_000;
const pollMs = 100;
const shownLines = 15;

/** Resolves when the engine answers. Rejects with an Error that shows the engine's last output. */
export async function startEngine(options: StartOptions): Promise<void> {
  const places = options.places ?? usualPlaces;
  options.progress('Starting the Docker engine');
  if (places.hasSystemd ?? (await isSystemd())) return startUnit(options);
  await removeLeftovers(places);
  const log = await open(options.logFile, 'a', 0o600);
  const waiting = new AbortController();
  try {
    const engine = spawn(places.program, [], { detached: true, stdio: ['ignore', log.fd, log.fd] });
    await Promise.race([untilItAnswers(options, waiting.signal), failureOf(engine)]);
    engine.unref();
  } catch (error) {
    const output = (await readFile(options.logFile, 'utf8')).trimEnd().split('\n').slice(-shownLines);
    throw new Error([`${(error as Error).message}; the end of ${options.logFile}:`, ...output].join('\n'), {
      cause: error,
    });
  } finally {
    waiting.abort();
    await log.close();
  }
}

async function startUnit(options: StartOptions): Promise<void> {
  try {
    await runProgram('systemctl', ['enable', '--now', 'docker.service']);
    await untilItAnswers(options);
  } catch (error) {
    const output = await runProgram('journalctl', [
      '-u',
      'docker.service',
      '-n',
      String(shownLines),
      '--no-pager',
    ]).catch(() => []);
    throw new Error(['The Docker engine did not start', (error as Error).message, ...output].join('\n'), {
      cause: error,
    });
  }
}

async function untilItAnswers({ answers }: StartOptions, signal?: AbortSignal): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await answers())) {
    if (performance.now() > deadline) throw new Error(`The Docker engine did not answer within ${patienceMs / 1000} s`);
    await pause(pollMs, undefined, { signal });
  }
}

/** Rejects when the process can't be started or ends. */
function failureOf(engine: ChildProcess): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    engine.once('error', (error) => reject(new Error(`Starting the Docker engine failed: ${error.message}`)));
    engine.once('exit', (code, signal) =>
      reject(new Error(`The Docker engine exited immediately (${signal ?? code})`)),
    );
  });
  // It may also end much later, when nothing awaits it.
  failed.catch(() => {});
  return failed;
}

async function isSystemd(): Promise<boolean> {
  return (await readFile('/proc/1/comm', 'utf8')).trim() === 'systemd';
}

/** Removes leftovers of a killed engine, which would keep the next one from starting. */
async function removeLeftovers({ pidFile, containerdSocket, program }: EnginePlaces): Promise<void> {
  const text = await readFile(pidFile, 'utf8').catch(() => '');
  if (text && !(await isProcessOf(Number.parseInt(text, 10), program))) await rm(pidFile, { force: true });
  if (await isDeadSocket(containerdSocket)) await rm(containerdSocket, { force: true });
}

async function isProcessOf(processId: number, program: string): Promise<boolean> {
  if (!(processId > 0)) return false;
  const name = await readFile(`/proc/${processId}/comm`, 'utf8').catch(() => '');
  return name.trim() === program;
}

/** True when there is a socket file without a listener. */
async function isDeadSocket(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';
  } finally {
    socket.destroy();
  }
}
