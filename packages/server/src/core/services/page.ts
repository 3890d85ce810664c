// Pages of lists that are read whole. The cursor is the id of the last item shown.
import { fail } from '../domain/errors.ts';
import { isUuid } from '../lib/ids.ts';

/** One page; `cursor` is opaque and comes from the previous page. */
export interface PageQuery {
  limit: number;
  cursor?: string | undefined;
}

/** The requested part of `all`. Fails with 400 when the cursor matches nothing in it. */
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

/** Cursor of a list by number; `prefix` is a letter of the list. */
export function numberCursor(prefix: string, last: number): string {
  return Buffer.from(`${prefix}${last}`).toString('base64url');
}

/** The number in such a cursor; null without one. */
export function numberOfCursor(prefix: string, cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const [, start, number] = /^([a-z])(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (start !== prefix) throw fail.invalidInput('cursor', 'is not valid');
  return Number(number);
}

function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!isUuid(id)) throw fail.invalidInput('cursor', 'is not valid');
  return id;
}
