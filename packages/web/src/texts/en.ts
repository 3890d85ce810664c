// All English texts. Their keys are those of every language. For types and tests: pages have them
// in two parts.
import { first } from './en-first.ts';
import { lazy } from './en-lazy.ts';

export const en = { ...first, ...lazy };
