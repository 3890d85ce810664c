// Converts between object keys and column names: `memoryMb` is stored in `memory_mb`.
import type { Generated } from 'kysely';

type Snake<Key extends string> = Key extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Tail>}`
  : '';
type Camel<Column extends string> = Column extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Column;
type Stored<Value> = Value extends boolean ? number : Value extends object ? string : Value;

/** The columns that store the fields of `T`. */
export type Columns<T> = { [Key in keyof T & string as Snake<Key>]: Stored<T[Key]> };
/** The columns of `Row`, of which `Names` have defaults. */
export type WithDefaults<Row, Names extends keyof Row> = {
  [Column in keyof Row]: Column extends Names ? Generated<Row[Column]> : Row[Column];
};
type FieldsOf<Row> = { [Column in keyof Row & string as Camel<Column>]: Row[Column] };

const columns = new Map<string, string>();
const keys = new Map<string, string>();

/** Booleans become 0 and 1, lists and objects JSON; undefined fields are omitted. */
export function toColumns<T extends object>(fields: T): Columns<T> {
  const row: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    let column = columns.get(key);
    if (!column) columns.set(key, (column = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)));
    row[column] = storedValue(value);
  }
  return row as Columns<T>;
}

/** Rejects rows of prepared queries, whose columns can't be enumerated. */
export function fromColumns<Row extends object>(row: Row): FieldsOf<Row> {
  const fields: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(row)) {
    let key = keys.get(column);
    if (!key) keys.set(column, (key = column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())));
    fields[key] = value;
  }
  return fields as FieldsOf<Row>;
}

function storedValue(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}
