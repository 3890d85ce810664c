// Kinds of settings: the text they accept and the value it yields.
import { isPackageName } from '../lib/package-name.ts';

/** An operator's setting. `read` throws an Error whose message is the fault's predicate. */
export interface Setting<T> {
  name: string;
  /** The default, as text in a settings file; '' = unset. */
  fallback: string;
  meaning: string;
  read(text: string): T;
}

export function text(name: string, fallback: string, meaning: string): Setting<string> {
  return { name, fallback, meaning, read: (value) => value };
}

export function wholeNumber(
  name: string,
  [fallback, min, max]: [number, number, number],
  meaning: string,
): Setting<number> {
  return {
    name,
    fallback: String(fallback),
    meaning,
    read(value) {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
      if (!(number >= min && number <= max)) throw new Error(`must be a whole number between ${min} and ${max}`);
      return number;
    },
  };
}

/** A port (0 = any free one), `off` = null, or empty = undefined. */
export function portOrOff(name: string, meaning: string): Setting<number | null | undefined> {
  return {
    name,
    fallback: '',
    meaning,
    read(value) {
      if (value === '') return undefined;
      if (value === 'off') return null;
      const number = /^\d{1,5}$/.test(value) ? Number(value) : Number.NaN;
      if (!(number <= 65_535)) throw new Error('must be a port between 0 and 65535, or off');
      return number;
    },
  };
}

export function oneOf<const T extends string>(name: string, values: readonly [T, ...T[]], meaning: string): Setting<T> {
  return {
    name,
    fallback: values[0],
    meaning,
    read(value) {
      if (!values.includes(value as T)) throw new Error(`must be one of: ${values.join(', ')}`);
      return value as T;
    },
  };
}

export function checked(setting: Setting<string>, pattern: RegExp, fault: string): Setting<string> {
  return {
    ...setting,
    read(value) {
      if (value !== '' && !pattern.test(value)) throw new Error(fault);
      return value;
    },
  };
}

/** Comma-separated names of Debian packages; `none` = none. Sorted, without duplicates. */
export function packageNames(name: string, fallback: readonly string[], meaning: string): Setting<string[]> {
  return {
    name,
    fallback: fallback.join(','),
    meaning,
    read(value) {
      if (value.trim() === 'none') return [];
      const names = value.split(',').map((each) => each.trim());
      const odd = names.find((each) => !isPackageName(each));
      if (odd !== undefined) throw new Error('must be names of Debian packages with commas between them, or none');
      return [...new Set(names)].toSorted();
    },
  };
}
