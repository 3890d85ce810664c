// Turns the engine's facts about an ended container into a reason and a sentence. Pure.
import type { ExitReason } from '@botel/contract/vocabulary';
import type { Exit, StopReason } from './bot.ts';

/** Enough for an uncaught error with its stack, whose first lines state the error. */
const keptLineCount = 20;
/** Limits of a stored line, of all of them, and of a line that becomes the message. */
const lineBytes = 4096;
const linesBytes = 16_384;
const messageBytes = 500;
const cutMark = ' … [cut]';

/** Facts about an ended run. Times are ms since the epoch, memory in MB. */
export interface EndedRun {
  run: number;
  /** False when the container never got past `created`. */
  started: boolean;
  exitCode: number | null;
  /** Reported by the engine: the main process or a child was killed for memory. */
  oomKilled: boolean;
  /** The engine's start error, '' when there is none. */
  error: string;
  startedAt: number | null;
  finishedAt: number;
  /** Whether Botel requested the end; `killed` when it took SIGKILL. */
  stop: { asked: boolean; killed: boolean };
  /** Why Botel ended a run that its owner wanted; null when it did not. */
  cut: StopReason | null;
  /** The engine or the machine went down; not the bot's fault. */
  interrupted: boolean;
  /** The container ran the build, not the bot. */
  isBuild: boolean;
  /** The build exceeded its time limit. */
  overtime: boolean;
  memoryMb: number;
  memoryPeakMb: number | null;
  lastLines: string[];
}

const signalNames: Record<number, string> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  5: 'SIGTRAP',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  10: 'SIGUSR1',
  11: 'SIGSEGV',
  12: 'SIGUSR2',
  13: 'SIGPIPE',
  14: 'SIGALRM',
  15: 'SIGTERM',
  24: 'SIGXCPU',
  25: 'SIGXFSZ',
  31: 'SIGSYS',
};

/** Signal name of an exit code above 128 (init reports death by signal n as 128 + n), else null. */
export function signalOf(exitCode: number | null): string | null {
  return exitCode === null ? null : (signalNames[exitCode - 128] ?? null);
}

/** Reason of a run that Botel ended although its owner wanted it. */
export function reasonOfCut(cut: StopReason, isBuild: boolean): ExitReason {
  if (cut === 'flood') return isBuild ? 'build_failed' : 'crashed';
  return cut;
}

const tooMuchOutput = 'Stopped: it wrote more than 10 MB/s of output';

/** The record of an end. */
export function exitOf(ended: EndedRun): Exit {
  const uptimeSeconds = ended.startedAt === null ? 0 : Math.max(0, (ended.finishedAt - ended.startedAt) / 1000);
  const reason = reasonOf(ended, uptimeSeconds);
  const signal = ended.started ? signalOf(ended.exitCode) : null;
  return {
    at: ended.finishedAt,
    run: ended.run,
    code: ended.started ? ended.exitCode : null,
    signal,
    oom: ended.oomKilled,
    reason,
    message: messageOf(ended, reason, signal),
    lastLines: ended.lastLines,
    uptimeSeconds,
    memoryPeakMb: ended.oomKilled ? Math.max(ended.memoryMb, ended.memoryPeakMb ?? 0) : ended.memoryPeakMb,
  };
}

function reasonOf(ended: EndedRun, uptimeSeconds: number): ExitReason {
  if (ended.stop.asked) return ended.stop.killed ? 'killed' : 'stopped';
  if (ended.cut) return reasonOfCut(ended.cut, ended.isBuild);
  if (!ended.started) return ended.interrupted ? 'interrupted' : 'start_failed';
  if (!ended.isBuild && (ended.exitCode === 126 || ended.exitCode === 127) && uptimeSeconds < 5) return 'start_failed';
  if (ended.interrupted && !ended.oomKilled) return 'interrupted';
  if (ended.isBuild) return 'build_failed';
  if (ended.oomKilled) return 'oom';
  return ended.exitCode === 0 ? 'exited' : 'crashed';
}

function messageOf(ended: EndedRun, reason: ExitReason, signal: string | null): string {
  if (ended.cut === 'flood' && !ended.stop.asked) return tooMuchOutput;
  switch (reason) {
    case 'stopped':
      return 'Stopped';
    case 'killed':
      return 'Killed';
    case 'start_failed':
      return startFailure(ended);
    case 'build_failed':
      if (ended.overtime) return 'The build took too long and was ended';
      return ended.oomKilled
        ? `The build ran out of memory (${ended.memoryMb} MB)`
        : `The build failed (code ${ended.exitCode})`;
    case 'oom':
      return `Out of memory: a process was killed at the limit of ${ended.memoryMb} MB`;
    case 'interrupted':
      return 'The container engine or the machine restarted';
    case 'disk_full':
      return 'Stopped: its files take more than the disk limit allows';
    case 'vanished':
      return 'The container was removed by somebody else';
    case 'exited':
      return 'Exited with code 0';
    case 'crashed':
      return signal ? `Ended by ${signal}` : `Exited with code ${ended.exitCode}`;
  }
}

function startFailure(ended: EndedRun): string {
  if (ended.error) return withoutHostPaths(ended.error);
  const last = ended.lastLines.at(-1);
  return last === undefined
    ? `The startup command could not be run (code ${ended.exitCode})`
    : shortened(last, messageBytes);
}

/** The last lines of output as an exit stores them: the newest that fit, oldest first. */
export function keptLines(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.slice(-keptLineCount).toReversed()) {
    const text = shortened(line, lineBytes);
    bytes += storedBytes(text);
    if (bytes > linesBytes) break;
    kept.unshift(text);
  }
  return kept;
}

/** The text, or its beginning with a mark; at most `bytes` as JSON, where escapes take more. */
function shortened(text: string, bytes: number): string {
  if (storedBytes(text) <= bytes) return text;
  let size = storedBytes(cutMark);
  let end = 0;
  for (const character of text) {
    size += storedBytes(character);
    if (size > bytes) break;
    end += character.length;
  }
  return text.slice(0, end) + cutMark;
}

function storedBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** One line of at most 500 characters, with host paths cut to their last part. */
export function withoutHostPaths(text: string): string {
  return text
    .replace(/(?:\/(?:var|run|etc|tmp|root|srv|opt|mnt|work|data)(?:\/[\w.@:-]+)*\/)([\w.@:-]+)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 500);
}
