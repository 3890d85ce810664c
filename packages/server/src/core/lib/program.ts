// Runs programs with fixed arguments, never through a shell, and keeps the end of what they print for the error.
// Must not know what the programs are for.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Where programs of the system are, also for a root whose own PATH leaves out half of them. */
export const systemPath = [
  '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  '/run/current-system/sw/bin',
].join(':');

const keptLines = 40;
const keptLineCharacters = 1_000;

export interface ProgramOptions {
  /** Variables beside the inherited ones. */
  environment?: Record<string, string>;
  directory?: string;
  /** What it reads from its standard input; nothing when left out. */
  input?: string;
  /** Ends the program and its children by SIGTERM. */
  signal?: AbortSignal;
}

/** A program that failed: could not be started (`missing` when there is no such file), or ended with another code than 0. */
export class ProgramError extends Error {
  readonly missing: boolean;
  /** What it ended with; null when it did not. */
  readonly code: number | null;
  /** The last lines that it printed. */
  readonly lines: string[];

  constructor(
    message: string,
    { missing = false, code = null as number | null, lines = [] as string[] },
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ProgramError';
    this.missing = missing;
    this.code = code;
    this.lines = lines;
  }
}

/** A program under way. `ended` settles once it is gone; rejects with ProgramError, or the signal's reason. */
export interface RunningProgram {
  stdout: Readable;
  ended: Promise<void>;
}

/** Starts `file`. Its standard output is the caller's to read; its errors are kept for `ended`. */
export function startProgram(file: string, args: readonly string[], options: ProgramOptions = {}): RunningProgram {
  const { environment = {}, directory, input, signal } = options;
  // `env` adds the variables, so that the own environment is neither read nor copied here.
  const added = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  // A process group of its own: some programs signal their whole group when they fail, and an abort ends all of it.
  const child = spawn('/usr/bin/env', [...added, file, ...args], {
    cwd: directory,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program that ends before it has read everything says why by its end.
  child.stdin.on('error', () => {}).end(input);
  const lines = lastLines(child.stderr);
  function endGroup() {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (child.pid !== undefined && !hasEnded) process.kill(-child.pid, 'SIGTERM');
  }
  if (signal?.aborted) endGroup();
  signal?.addEventListener('abort', endGroup, { once: true });
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signalName) => {
      signal?.removeEventListener('abort', endGroup);
      if (signal?.aborted) return reject(signal.reason);
      if (code === 0) return resolve();
      const missing = code === 127;
      const message = missing ? `There is no program ${file}` : `${file} ended with ${signalName ?? `code ${code}`}`;
      reject(new ProgramError(message, { missing, code, lines }));
    });
  });
  // Whoever reads stdout may come to `ended` later than its failure.
  ended.catch(() => {});
  return { stdout: child.stdout, ended };
}

/** Runs `file` to its end and returns the last lines of its standard output. Rejects like `ended`. */
export async function runProgram(
  file: string,
  args: readonly string[],
  options: ProgramOptions = {},
): Promise<string[]> {
  const program = startProgram(file, args, options);
  const lines = lastLines(program.stdout);
  await program.ended;
  return lines;
}

/** An array that holds the last lines of `stream` while it is read. */
function lastLines(stream: Readable): string[] {
  const lines: string[] = [];
  createInterface({ input: stream }).on('line', (line) => {
    lines.push(line.slice(0, keptLineCharacters));
    if (lines.length > keptLines) lines.shift();
  });
  return lines;
}
