// What the values of well-known secrets look like. Without schemas, so that the dashboard can have
// it.
import type { SecretKind } from './vocabulary.ts';

/** Whole values. By kind; kinds are the values of `secrets[].kind` of a template. */
export const secretForms = {
  discord_token: /^[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}$/,
  telegram_token: /^\d{8,10}:[\w-]{35}$/,
} as const satisfies Record<SecretKind, RegExp>;
