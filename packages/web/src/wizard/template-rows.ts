// The variables that a template asks for and brings along, among those of the owner. Pure.
import { secretForms } from '@botel/contract/secret-forms';
import type { TemplateData } from '@botel/contract/templates';
import type { SecretKind } from '@botel/contract/vocabulary';
import { addRow, type EnvRow } from '../env/env-draft.ts';

/** The rows for `next`; what `old` brought and nobody changed goes. Either may be null: files of one's own. */
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

/** Whether a value could be a secret of its kind; spaces around it are told by this too. */
export function isOfForm(kind: SecretKind, value: string): boolean {
  return secretForms[kind].test(value);
}
