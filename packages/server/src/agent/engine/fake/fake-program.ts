// The programs that fake containers run, chosen by words in their arguments. Pure.

/** What a fake program does by itself and on the stop signal. Times in ms. */
export interface FakeProgram {
  /** The engine can't start it: the container stays `created` with this error. */
  startError: string | null;
  /** A line that it writes at start. */
  firstLine: { text: string; stream: FakeStream };
  /** Its own end, null when it runs until stopped. */
  end: { code: number; oom: boolean; afterMs: number } | null;
  /** What it does on the stop signal; null: nothing, only SIGKILL ends it. */
  stop: { code: number; afterMs: number } | null;
  /** Whether it reads its stdin, and answers each line; null: leaves it unread. */
  reads: 'silently' | 'echo' | null;
  /** Whether it writes as fast as it may. */
  floods: boolean;
}

export type FakeStream = 'stdout' | 'stderr';

/**
 * - `start-error`: can't be started at all
 * - `missing-command`: exit 127 with init's line of complaint
 * - `exit <code>` [`after <ms>`]: ends by itself
 * - `oom` [`after <ms>`]: is killed for memory
 * - `npm ci`: builds for two seconds and ends with 0
 * - `graceful` [`stop <ms>`]: on the stop signal exits 0, at once or that much later
 * - `deaf`: ignores the stop signal
 * - `echo`: writes `got <line>` for each line that it reads
 * - `numb`: does not read
 * - `flood`: writes 6 MB a second, or what its throttle lets pass
 * - anything else: runs until it is stopped, then ends with 143
 */
export function programOf(argv: string[]): FakeProgram {
  const text = argv.join(' ');
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  const afterMs = number(/\bafter (\d+)/);
  const program: FakeProgram = {
    startError: null,
    firstLine: { text: 'started', stream: 'stdout' },
    end: null,
    stop: { code: 143, afterMs: 0 },
    reads: 'silently',
    floods: /\bflood\b/.test(text),
  };
  if (/\bstart-error\b/.test(text)) program.startError = 'OCI runtime create failed: unable to start the container';
  else if (/\bmissing-command\b/.test(text)) {
    program.firstLine = {
      text: `[FATAL tini (7)] exec ${argv[0]} failed: No such file or directory`,
      stream: 'stderr',
    };
    program.end = { code: 127, oom: false, afterMs: 0 };
  } else if (/\bnpm ci\b/.test(text)) program.end = { code: 0, oom: false, afterMs: 2_000 };
  else if (/\bexit \d/.test(text)) program.end = { code: number(/\bexit (\d{1,3})/), oom: false, afterMs };
  else if (/\boom\b/.test(text)) program.end = { code: 137, oom: true, afterMs };
  else if (/\bgraceful\b/.test(text)) program.stop = { code: 0, afterMs: number(/\bstop (\d+)/) };
  else if (/\bdeaf\b/.test(text)) program.stop = null;
  else if (/\becho\b/.test(text)) program.reads = 'echo';
  else if (/\bnumb\b/.test(text)) program.reads = null;
  return program;
}
