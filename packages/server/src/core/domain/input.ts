// Texts for the stdin of a running bot: their states and time limits. Pure.

/**
 * - pending: not begun
 * - writing: being written, or was when Botel died; never retried
 * - delivered: the program's stdin accepted it
 * - offline: its run had ended or was superseded
 * - unread: the program does not read its stdin
 * - failed: the engine did not answer, or the text was not begun in time
 */
export type InputState = 'pending' | 'writing' | 'delivered' | 'offline' | 'unread' | 'failed';

/** Maximum pending texts per bot. */
export const inputsMax = 64;

/** How long a caller waits (ms). */
export const inputPatienceMs = 5_000;

/** Age (ms) from which a text is no longer begun: its caller would not learn the outcome. */
export const inputFreshMs = 2_500;

export function isSettled(state: InputState): boolean {
  return state !== 'pending' && state !== 'writing';
}
