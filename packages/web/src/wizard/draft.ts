// The draft of a new bot: the user's choices, and what follows from them. Pure.
import type { BotData } from '@botel/contract/bots';
import type { TemplateData } from '@botel/contract/templates';
import { botName, type Guess } from './detect.ts';
import type { Source } from './make-bot.ts';
import type { OwnFiles } from './own-files.ts';

export interface Draft {
  template: TemplateData | null;
  files: OwnFiles | null;
  guess: Guess | null;
  name: string;
  /** The user typed the name: later choices don't change it. */
  isNamed: boolean;
  language: BotData['language'];
  command: string;
  /** MB */
  memory: number;
}

export const emptyDraft: Draft = {
  template: null,
  files: null,
  guess: null,
  name: '',
  isNamed: false,
  language: 'nodejs',
  command: '',
  memory: 256,
};

export function sourceOf({ template, files }: Draft): Source | null {
  if (template) return { kind: 'template', id: template.id };
  return files && { kind: 'own', files };
}

export function withTemplate(old: Draft, template: TemplateData): Draft {
  const { name, language, startup_command: command, memory } = template;
  return { ...old, template, files: null, guess: null, name: old.isNamed ? old.name : name, language, command, memory };
}

export function withFiles(old: Draft, files: OwnFiles): Draft {
  const { folder, config, guess } = files;
  const name = botName(config?.name ?? folder) ?? old.name;
  return {
    ...old,
    template: null,
    files,
    guess,
    name: old.isNamed ? old.name : name,
    ...(guess && { language: guess.language, command: guess.command }),
    memory: config?.memoryMb ?? old.memory,
  };
}
