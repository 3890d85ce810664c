// Templates: small bots that come with Botel, to begin with.
import { z } from 'zod';
import { text } from './input.ts';
import { languages, secretKinds } from './vocabulary.ts';

/** A variable of the environment that only the owner can give. */
export const templateSecret = z.strictObject({ key: z.string(), kind: z.enum(secretKinds) });

/** What POST /bots/create takes, for a bot that runs with the template's files; `name` is a
 * proposal. */
export const template = z.strictObject({
  id: z.string(),
  name: z.string(),
  language: z.enum(languages),
  memory: z.number(),
  startup_command: z.string(),
  environment: z.record(z.string(), z.string()),
  /** Variables that it does not run without. */
  secrets: z.array(templateSecret),
  /** Names of its files, in the order of the alphabet. */
  files: z.array(z.string()),
  description: z.string(),
  /** The description in other languages, by their tag. */
  translations: z.record(z.string(), z.string()),
});

export const templateList = z.strictObject({ templates: z.array(template) });

export const templateBody = z.object({ template_id: text(1, 64) });

export type TemplateSecret = z.infer<typeof templateSecret>;

export type TemplateData = z.infer<typeof template>;
