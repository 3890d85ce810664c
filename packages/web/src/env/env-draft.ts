// Unsaved changes to a bot's variables: rows, their faults, and what saving sends. Values that were
// never shown are `null`. Pure.
import { type DotEnvEntry, parseDotEnv, printDotEnv } from './dot-env.ts';

/** `value` null = as stored, not shown. `stored`: the bot has a variable of this name. */
export interface EnvRow {
  id: number;
  key: string;
  value: string | null;
  stored: boolean;
  removed: boolean;
}

/** The bot's variables. `values` null until shown. */
export interface StoredEnvironment {
  keys: readonly string[];
  values: Readonly<Record<string, string>> | null;
}

export type EnvFault =
  | 'empty'
  | 'too_long'
  | 'characters'
  | 'reserved'
  | 'port'
  | 'duplicate'
  | 'value_too_long'
  | 'value_characters';

export interface EnvChanges {
  set: Record<string, string>;
  unset: string[];
  added: number;
  changed: number;
  removed: number;
}

export const maxVariables = 100;
const longestKey = 128;
const longestValueBytes = 65_536;

let lastId = 0;

function makeRow(row: Omit<EnvRow, 'id'>): EnvRow {
  return { id: ++lastId, ...row };
}

export function rowsOf({ keys, values }: StoredEnvironment): EnvRow[] {
  return keys.toSorted().map((key) => makeRow({ key, value: values?.[key] ?? null, stored: true, removed: false }));
}

/** The rows with the loaded values; edits are kept. */
export function reveal(rows: readonly EnvRow[], values: Readonly<Record<string, string>>): EnvRow[] {
  return rows.map((row) => (row.stored && row.value === null ? { ...row, value: values[row.key] ?? null } : row));
}

export function changeRow(
  rows: readonly EnvRow[],
  id: number,
  change: Partial<Pick<EnvRow, 'key' | 'value'>>,
): EnvRow[] {
  return rows.map((row) => (row.id === id ? { ...row, ...change } : row));
}

/** Marks a stored variable as removed, to allow undo; drops one that was never saved. */
export function removeRow(rows: readonly EnvRow[], id: number): EnvRow[] {
  return rows.flatMap((row) => (row.id !== id ? row : row.stored ? { ...row, removed: true } : []));
}

export function restoreRow(rows: readonly EnvRow[], id: number): EnvRow[] {
  return rows.map((row) => (row.id === id ? { ...row, removed: false } : row));
}

export function addRow(rows: readonly EnvRow[], key = '', value = ''): EnvRow[] {
  return [...rows, makeRow({ key, value, stored: false, removed: false })];
}

/** Applies pasted lines: updates existing variables, adds the others, drops empty rows. */
export function paste(rows: readonly EnvRow[], text: string): EnvRow[] {
  let result = rows.filter((row) => row.stored || row.key !== '' || row.value !== '');
  for (const { key, value } of parseDotEnv(text).filter(isWhole)) {
    const there = result.find((row) => row.key === key);
    if (there) result = restoreRow(changeRow(result, there.id, { value }), there.id);
    else result = addRow(result, key, value);
  }
  return result;
}

/** Whether a pasted text is more than the name or the value of one variable. */
export function isPastedFile(text: string): boolean {
  const whole = parseDotEnv(text).filter(isWhole);
  return whole.length > 1 || (whole.length === 1 && /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=(?!=*\s*$)/.test(text));
}

function isWhole({ key, fault }: DotEnvEntry): boolean {
  return key !== '' && fault !== 'no_equals';
}

/** The draft as a file; only for rows whose values are shown. */
export function rawText(rows: readonly EnvRow[]): string {
  return printDotEnv(rows.filter((row) => !row.removed).map(({ key, value }) => [key, value ?? '']));
}

/** The rows of an edited file; variables missing from it are removed. */
export function rowsOfRaw(text: string, stored: StoredEnvironment): EnvRow[] {
  const entries = parseDotEnv(text);
  const rows = entries.map(({ key, value }) =>
    makeRow({ key, value, stored: stored.keys.includes(key), removed: false }),
  );
  const missing = stored.keys.filter((key) => !entries.some((entry) => entry.key === key));
  return [
    ...rows,
    ...missing.map((key) => makeRow({ key, value: stored.values?.[key] ?? null, stored: true, removed: true })),
  ];
}

/** Faults by row id. */
export function faultsOf(rows: readonly EnvRow[]): Map<number, EnvFault> {
  const faults = new Map<number, EnvFault>();
  const seen = new Set<string>();
  for (const row of rows) {
    if (row.removed) continue;
    const fault = seen.has(row.key) && row.key !== '' ? 'duplicate' : faultOf(row);
    seen.add(row.key);
    if (fault) faults.set(row.id, fault);
  }
  return faults;
}

function faultOf({ key, value, stored }: EnvRow): EnvFault | null {
  if (key === '') return 'empty';
  if ([...key].length > longestKey) return 'too_long';
  if (key.startsWith('BOTEL_')) return 'reserved';
  // A bot that already sets PORT keeps it.
  if (key === 'PORT' && !stored) return 'port';
  if (!stored && !/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(key)) return 'characters';
  if (value === null) return null;
  if (new TextEncoder().encode(value).length > longestValueBytes) return 'value_too_long';
  return value.includes('\0') || !value.isWellFormed() ? 'value_characters' : null;
}

/** What saving sends. While stored values are unknown, every edited value counts as changed. */
export function changesOf(rows: readonly EnvRow[], stored: StoredEnvironment): EnvChanges {
  const changes: EnvChanges = { set: {}, unset: [], added: 0, changed: 0, removed: 0 };
  for (const { key, value, removed, stored: wasThere } of rows) {
    if (removed) {
      changes.unset.push(key);
      changes.removed++;
    } else if (value !== null && (!wasThere || stored.values?.[key] !== value)) {
      changes.set[key] = value;
      if (wasThere) changes.changed++;
      else changes.added++;
    }
  }
  return changes;
}

export function hasChanges({ added, changed, removed }: EnvChanges): boolean {
  return added + changed + removed > 0;
}
