// Host folders mounted in builds at /botel/downloads, one per language: Botel fills `nodejs`, the
// operator the others. Bots contribute nothing to them.
import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language } from '@botel/contract/vocabulary';
import { languageDefinitions } from '../../core/domain/languages/languages.ts';
import { unlessGone } from '../homes/file-errors.ts';

export class DownloadFolders {
  readonly #directory: string;
  readonly #takerSource: string;

  /** `directory`: `downloads` in the data folder; `takerSource`: the program that builds run. */
  constructor(directory: string, takerSource: string) {
    this.#directory = directory;
    this.#takerSource = takerSource;
  }

  /** Creates the folders and installs the current program into that of nodejs. */
  install(): void {
    for (const [language, { downloads }] of Object.entries(languageDefinitions)) {
      if (!downloads) continue;
      mkdirSync(join(this.#directory, language), { recursive: true });
      chmodSync(join(this.#directory, language), 0o755);
    }
    chmodSync(this.#directory, 0o711);
    const taker = join(this.#directory, 'nodejs/take');
    const fresh = join(this.#directory, randomUUID());
    copyFileSync(this.#takerSource, fresh);
    chmodSync(fresh, 0o755);
    renameSync(fresh, taker);
  }

  /** The folder for builds in `language`; null when it has nothing for them. */
  async folder(language: Language): Promise<string | null> {
    if (!languageDefinitions[language].downloads) return null;
    const path = join(this.#directory, language);
    const names = await readdir(path).catch(unlessGone);
    return names && names.length > 0 ? path : null;
  }
}
