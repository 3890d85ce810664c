// All languages, by name.
import type { Language } from '@botel/contract/vocabulary';
import { go } from './go.ts';
import { java } from './java.ts';
import type { LanguageDefinition } from './language.ts';
import { nodejs } from './nodejs.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';

export const languageDefinitions: Record<Language, LanguageDefinition> = { nodejs, python, java, go, rust };
