// Follows the log of a bot over connections that come and go: resumes behind the last line that arrived, waits longer
// after each failure, gives up only where the server refuses. Must not know how streams are opened, or what is done with
// the events.
import { ApiError } from '@botel/contract/client';
import type { ServerEvent } from '@botel/contract/events';

/** `waiting`: for the next attempt, `failures` in a row so far. `refused`: the HTTP status. `ended`: the bot is gone. */
export type LogConnection =
  | { kind: 'connecting' | 'live'; failures: number }
  | { kind: 'waiting'; failures: number; delayMs: number }
  | { kind: 'refused'; status: number; error: ApiError | null }
  | { kind: 'ended' };

interface Options {
  /** Opens the stream behind the line with this number; null = its newest lines. Rejects with ApiError where it is refused. */
  open(after: number | null, signal: AbortSignal): AsyncIterable<ServerEvent>;
  /** Number of the newest line that arrived. */
  newest(): number | null;
  onEvent(event: ServerEvent): void;
  onConnection(connection: LogConnection): void;
  /** Milliseconds until the next attempt, after so many failures in a row. */
  delayMs(failures: number): number;
  /** Resolves after that time, or when the signal aborts. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  signal: AbortSignal;
}

type Outcome = { kind: 'broken' } | Extract<LogConnection, { kind: 'refused' | 'ended' }>;

/** Resolves when the signal aborts, or when there is nothing to follow any more. */
export async function followLog(options: Options): Promise<void> {
  const { signal, onConnection, delayMs, wait } = options;
  let failures = 0;
  while (!signal.aborted) {
    onConnection({ kind: 'connecting', failures });
    const outcome = await readOnce(options, () => {
      failures = 0;
      onConnection({ kind: 'live', failures });
    });
    if (signal.aborted) return;
    if (outcome.kind !== 'broken') return onConnection(outcome);
    const delay = delayMs(++failures);
    onConnection({ kind: 'waiting', failures, delayMs: delay });
    await wait(delay, signal);
  }
}

/** `onLive` is told of the first event. */
async function readOnce({ open, newest, onEvent, signal }: Options, onLive: () => void): Promise<Outcome> {
  let isLive = false;
  try {
    for await (const event of open(newest(), signal)) {
      if (!isLive) onLive();
      isLive = true;
      const reason = event.event === 'end' ? (event.data as { reason: string }).reason : null;
      if (reason === 'deleted') return { kind: 'ended' };
      if (reason === 'unauthorized') return { kind: 'refused', status: 401, error: null };
      onEvent(event);
    }
  } catch (error) {
    if (error instanceof ApiError && [401, 403, 404].includes(error.status))
      return { kind: 'refused', status: error.status, error };
    // Whatever else broke it: the next attempt shows whether it lasts.
  }
  return { kind: 'broken' };
}
