// The effective settings as shown to admins, without secrets.
import type { Config } from './config.ts';
import { settings } from './env.ts';

/** Settings whose value is a secret. */
const secret = /PASSWORD|TOKEN|SECRET$|_KEY$/;

export function shownSettings(config: Config): { name: string; value: string; meaning: string }[] {
  return Object.entries(settings)
    .filter(([, { name }]) => !secret.test(name))
    .map(([key, { name, meaning }]) => ({ name, value: shown(config[key as keyof Config]), meaning }));
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return typeof value === 'object' && 'name' in value ? String(value.name) : String(value);
}
