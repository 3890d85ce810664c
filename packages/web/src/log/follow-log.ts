// Follows a bot's log across reconnects: resumes after the last line received, backs off after each
// failure, and gives up only when the server refuses.
import { ApiError } from '@botel/contract/client';
import type { ServerEvent } from '@botel/contract/events';

/**
 * `waiting`: for the next attempt, `failures` in a row so far. `refused`: the HTTP status. `ended`:
 * the bot is gone.
 */
export type LogConnection =
  | { kind: 'connecting' | 'live'; failures: number }
  | { kind: 'waiting'; failures: number; delayMs: number }
  | { kind: 'refused'; status: number; error: ApiError | null }
  | { kind: 'ended' };

interface Options {
  /**
   * Opens the stream after this line; null = at the newest lines. Rejects with ApiError if refused.
   */
  open(after: number | null, signal: AbortSignal): AsyncIterable<ServerEvent>;
  /** Number of the newest line received. */
  newest(): number | null;
  onEvent(event: ServerEvent): void;
  onConnection(connection: LogConnection): void;
  /** Delay before the next attempt after this many failures in a row, in ms. */
  delayMs(failures: number): number;
  /** Resolves after `ms`, or on abort. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  signal: AbortSignal;
}

type Outcome = { kind: 'broken' } | Extract<LogConnection, { kind: 'refused' | 'ended' }>;

/** Resolves on abort, or when there is nothing left to follow. */
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

/** `onLive` is called with the first event. */
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
    // Any other failure: the next attempt shows whether it persists.
  }
  return { kind: 'broken' };
}
