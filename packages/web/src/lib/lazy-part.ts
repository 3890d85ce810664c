// Parts of the page that are loaded when they are wanted. Browsers remember that one could not be had until the page is loaded
// anew: that is said by a notice, and left to the reader.
import { ValueStore } from './value-store.ts';

/** True once a part was asked for in vain: the server has a newer dashboard, or the connection was cut. */
export const isPartMissing = new ValueStore(false);

/** What `load` imports; it resolves with nothing when that failed (see `main.tsx`). Rejects then. */
export async function lazyPart<T extends object>(load: () => Promise<T | undefined>): Promise<T> {
  const part = await load();
  if (part) return part;
  isPartMissing.set(true);
  throw new Error('A part of this page is missing. Reload it');
}
