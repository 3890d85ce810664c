// Pages of lists that are read as a whole. The cursor is the id of the last thing that was shown.
import { fail } from '../domain/errors.ts';
import { isUuid } from '../lib/ids.ts';

/** One page; `cursor` is opaque, and what the page before said. */
export interface PageQuery {
  limit: number;
  cursor?: string | undefined;
}

/** The part of `all` that was asked for. Fails with 400 when the cursor names nothing in it. */
export function pageOf<T extends { id: string }>(
  all: T[],
  { limit, cursor }: PageQuery,
): { page: T[]; nextCursor: string | null } {
  const after = cursor ? decodeCursor(cursor) : null;
  const start = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0) throw fail.invalidInput('cursor', 'is not valid');
  const page = all.slice(start, start + limit);
  const last = page.at(-1);
  const goesOn = start + page.length < all.length;
  return { page, nextCursor: last && goesOn ? Buffer.from(last.id).toString('base64url') : null };
}

function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!isUuid(id)) throw fail.invalidInput('cursor', 'is not valid');
  return id;
}
