// Runs programs with fixed arguments, never through a shell.
import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** The system's program folders, since even root's PATH may lack some. */
export const systemPath = [
  '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  '/run/current-system/sw/bin',
].join(':');

const keptLines = 40;
const keptLineCharacters = 1_000;

export interface ProgramOptions {
  /** Variables added to the inherited ones. */
  environment?: Record<string, string>;
  directory?: string;
  /** Text for its standard input; empty when absent. */
  input?: string;
  /** Ends the program and its children with SIGTERM. */
  signal?: AbortSignal;
}

/** Not started (`missing`: no such file), or ended with a code other than 0. */
export class ProgramError extends Error {
  readonly missing: boolean;
  /** Its exit code; null when it has none. */
  readonly code: number | null;
  /** The last lines of its output. */
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

/** `ended` rejects with ProgramError or the signal's reason. */
export interface RunningProgram {
  stdout: Readable;
  ended: Promise<void>;
}

/** Starts `file`. The caller reads its standard output; `ended` reports its standard error. */
export function startProgram(file: string, args: readonly string[], options: ProgramOptions = {}): RunningProgram {
  const { environment = {}, directory, input, signal } = options;
  // `env` adds the variables, so that this process's environment is neither read nor copied here.
  const added = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  // A group of its own: some programs signal their whole group when they fail, and aborts end it.
  const child = spawn('/usr/bin/env', [...added, file, ...args], {
    cwd: directory,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program that ends before reading all input reports the reason by its exit code.
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
  // `ended` may reject before the caller awaits it.
  ended.catch(() => {});
  return { stdout: child.stdout, ended };
}

/** Returns the last lines of standard output. Rejects like `ended`. */
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

/** Path of an executable in one of the folders; null when there is none. */
export async function findProgram(name: string, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const path = join(folder, name);
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return null;
}

/** Returns an array that always holds the last lines read from `stream`. */
function lastLines(stream: Readable): string[] {
  const lines: string[] = [];
  createInterface({ input: stream }).on('line', (line) => {
    lines.push(line.slice(0, keptLineCharacters));
    if (lines.length > keptLines) lines.shift();
  });
  return lines;
}
