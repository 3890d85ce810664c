// Merges the variables of a template with the user's own. Pure.
import { secretForms } from '@botel/contract/secret-forms';
import type { TemplateData } from '@botel/contract/templates';
import type { SecretKind } from '@botel/contract/vocabulary';
import { addRow, type EnvRow } from '../env/env-draft.ts';

/** The rows for `next`, without unchanged ones of `old`. null = own files. */
export function rowsForTemplate(
  rows: readonly EnvRow[],
  old: TemplateData | null,
  next: TemplateData | null,
): EnvRow[] {
  const brought = asked(old);
  const kept = rows.filter(({ key, value }) => brought.get(key) !== (value ?? ''));
  const missing = [...asked(next)].filter(([key]) => !kept.some((row) => row.key === key));
  return missing.reduce<EnvRow[]>((result, [key, value]) => addRow(result, key, value), kept);
}

/** Names and first values. */
function asked(template: TemplateData | null): Map<string, string> {
  if (!template) return new Map();
  const secrets = template.secrets.map(({ key }) => [key, ''] as const);
  return new Map([...secrets, ...Object.entries(template.environment)]);
}

/** Whether a value looks like a secret of its kind; surrounding spaces fail. */
export function isOfForm(kind: SecretKind, value: string): boolean {
  return secretForms[kind].test(value);
}
