// Which builds find files that were downloaded before, where, and what makes the tools of a language use them. Pure data.
import type { Language } from '@botel/contract/vocabulary';

/** The folder in containers that build; it can't be written there. */
export const downloadsPath = '/botel/downloads';

/** Variables of a build per language that has such a folder. npm needs none: its own cache is filled from the folder. */
export const downloadVariables: Partial<Record<Language, Record<string, string>>> = {
  nodejs: {},
  python: { PIP_FIND_LINKS: downloadsPath },
  // The default of Go, after what is there.
  go: { GOPROXY: `file://${downloadsPath},https://proxy.golang.org,direct` },
};
