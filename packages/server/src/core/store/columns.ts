// Turns objects into rows: `memoryMb` is stored in `memory_mb`.

type Snake<Key extends string> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : '';
type Stored<Value> = Value extends boolean ? number : Value extends object ? string : Value;

type ColumnsOf<T> = { [Key in keyof T & string as Snake<Key>]: Stored<T[Key]> };

const columns = new Map<string, string>();

/** Booleans become 0 and 1, lists and objects JSON; what is undefined is left out. */
export function toColumns<T extends object>(fields: T): ColumnsOf<T> {
  const row: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    let column = columns.get(key);
    if (!column) columns.set(key, (column = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)));
    row[column] = storedValue(value);
  }
  return row as ColumnsOf<T>;
}

function storedValue(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
