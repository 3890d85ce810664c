// What a key does in a tree, as the ARIA practices describe it. Pure.

/** A visible row, top to bottom. `isOpen` null = not a folder; `level` counts from 1. */
export interface TreeRow {
  name: string;
  level: number;
  isOpen: boolean | null;
}

export type TreeMove = { kind: 'go'; to: number } | { kind: 'open' } | { kind: 'close' } | { kind: 'choose' };

/** null = the key does nothing here. */
export function moveFor(rows: readonly TreeRow[], at: number, key: string): TreeMove | null {
  const row = rows[at];
  if (!row) return null;
  const go = (to: number): TreeMove => ({ kind: 'go', to: Math.min(Math.max(to, 0), rows.length - 1) });
  switch (key) {
    case 'ArrowDown':
      return go(at + 1);
    case 'ArrowUp':
      return go(at - 1);
    case 'Home':
      return go(0);
    case 'End':
      return go(rows.length - 1);
    case 'Enter':
    case ' ':
      return { kind: 'choose' };
    case 'ArrowRight':
      if (row.isOpen === false) return { kind: 'open' };
      return row.isOpen && (rows[at + 1]?.level ?? 0) > row.level ? go(at + 1) : null;
    case 'ArrowLeft':
      if (row.isOpen) return { kind: 'close' };
      return row.level > 1 ? go(rows.findLastIndex((each, index) => index < at && each.level < row.level)) : null;
    default:
      return null;
  }
}

/**
 * The next row whose name begins with what was typed, from the top again after the last; -1 = none.
 */
export function rowTyped(rows: readonly TreeRow[], at: number, typed: string): number {
  const wanted = typed.toLowerCase();
  // More letters may match the current row; a first letter moves on.
  const from = typed.length > 1 ? at : at + 1;
  for (let step = 0; step < rows.length; step++) {
    const index = (from + step) % rows.length;
    if (rows[index]?.name.toLowerCase().startsWith(wanted)) return index;
  }
  return -1;
}
