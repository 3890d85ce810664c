// A text for the stdin of a running bot: what becomes of it, and how long anybody waits for that. Pure.

/**
 * - pending: nobody has begun to write it
 * - writing: it is being written, or was when Botel died; never begun again
 * - delivered: the program's stdin has taken it
 * - offline: its run had ended, or was not the bot's any more
 * - unread: the program does not read its stdin
 * - failed: the engine did not answer, or nobody came to it in time
 */
export type InputState = 'pending' | 'writing' | 'delivered' | 'offline' | 'unread' | 'failed';

/** Texts of one bot that may wait at once. */
export const inputsMax = 64;

/** How long a caller waits (ms). */
export const inputPatienceMs = 5_000;

/** Age (ms) from which a text is not begun any more: its caller would not hear of it. */
export const inputFreshMs = 2_500;

export function isSettled(state: InputState): boolean {
  return state !== 'pending' && state !== 'writing';
}
