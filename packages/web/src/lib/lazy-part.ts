// Parts of the page that load on demand. Browsers cache a failed import until the page reloads: a
// notice offers that to the user.
import { ValueStore } from './value-store.ts';

/**
 * True once a part failed to load: the server has a newer dashboard, or the connection was lost.
 */
export const isPartMissing = new ValueStore(false);

/**
 * The import of `load`, which resolves with nothing on failure (see `main.tsx`); then this rejects.
 */
export async function lazyPart<T extends object>(load: () => Promise<T | undefined>): Promise<T> {
  const part = await load();
  if (part) return part;
  isPartMissing.set(true);
  throw new Error('A part of this page is missing. Reload it');
}
