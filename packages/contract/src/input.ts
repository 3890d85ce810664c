// Building blocks of input schemas. Messages are predicates ("is required", "must be a string"):
// the server puts the field's name in front. What predicates ask is told to the API description by
// `meta`.
import { z } from 'zod';

/** Of a cursor that holds the longest file name, however it is written. */
const cursorMax = 2048;

function kind(name: string) {
  return (issue: { input?: unknown }) => (issue.input === undefined ? 'is required' : `must be ${name}`);
}

/** A required string of `min` to `max` characters. */
export function text(min: number, max: number, fault = `must be between ${min} and ${max} characters`) {
  return z
    .string({ error: kind('a string') })
    .refine((value) => {
      const length = [...value].length;
      return length >= min && length <= max;
    }, fault)
    .meta({ minLength: min, maxLength: max });
}

/** A required string of which the server says what is wrong with it; the bounds are for the API
 * description. */
export function judgedText(min: number, max: number) {
  return z.string({ error: kind('a string') }).meta({ minLength: min, maxLength: max });
}

/** One line of `min` to `max` characters that lists and logs can show. */
export function plainText(min: number, max: number) {
  return text(min, max).refine(
    (value) => value.isWellFormed() && !/\p{Cc}/u.test(value) && value.trim() === value,
    'is not valid',
  );
}

export function uuid() {
  return z
    .string({ error: kind('a string') })
    .refine((value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value), 'must be a UUID')
    .meta({ format: 'uuid' });
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  return z.enum(values, {
    error: (issue) =>
      issue.input === undefined
        ? 'is required'
        : typeof issue.input === 'string'
          ? `must be one of: ${values.join(', ')}`
          : 'must be a string',
  });
}

/** A JSON number that is whole and within the bounds. */
export function wholeNumber(min: number, max: number) {
  return z
    .number({ error: kind('a number') })
    .refine(
      (value) => Number.isInteger(value) && value >= min && value <= max,
      `must be a whole number between ${min} and ${max}`,
    )
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** A whole number in a query string, with a default. */
export function queryNumber(min: number, max: number, fallback: number) {
  const fault = `must be a whole number between ${min} and ${max}`;
  return z
    .string({ error: 'is not valid' })
    .refine((value) => /^\d{1,15}$/.test(value), fault)
    .meta({ type: 'integer', minimum: min, maximum: max, default: fallback })
    .transform(Number)
    .refine((value) => value >= min && value <= max, fault)
    .optional()
    .transform((value) => value ?? fallback);
}

/** A whole number in a query string, or nothing. */
export function optionalNumber(min: number, max: number) {
  const fault = `must be a whole number between ${min} and ${max}`;
  return z
    .string({ error: 'is not valid' })
    .regex(/^\d{1,15}$/, fault)
    .meta({ type: 'integer', minimum: min, maximum: max })
    .transform(Number)
    .refine((value) => value >= min && value <= max, fault)
    .optional();
}

/** Where a list goes on, as its last answer said. */
export function cursor() {
  return z.string({ error: 'is not valid' }).max(cursorMax, 'is not valid').optional();
}

/** An id in a path. One that is malformed names nothing, as one that is unknown. */
export function idInPath() {
  return z.string().meta({ format: 'uuid' });
}

export function bool() {
  return z.boolean({ error: kind('true or false') });
}

/** `true` or `false` in a query string, with a default. */
export function queryBool(fallback: boolean) {
  return z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .optional()
    .transform((value) => (value === undefined ? fallback : value === 'true'));
}

/** An ISO 8601 time in a query string, as milliseconds since the epoch. */
export function queryTime() {
  return z
    .string({ error: 'is not valid' })
    .regex(/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/, 'must be an ISO 8601 time')
    .transform((value) => Date.parse(value))
    .refine((value) => !Number.isNaN(value), 'must be an ISO 8601 time')
    .optional();
}
