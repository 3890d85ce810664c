// Whether this process can do its work: database, engine, disk.
import { statfs } from 'node:fs/promises';
import { fail } from '../domain/errors.ts';
import type { BotStore } from '../store/bots.ts';
import type { SettingStore } from '../store/settings.ts';

const leastFreeBytes = 256 * 1024 * 1024;

interface Parts {
  bots: BotStore;
  settings: SettingStore;
  dataDirectory: string;
}

export class ReadinessService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves when all parts work; fails with `not_ready` naming the first that does not. */
  async check(): Promise<void> {
    const { bots, settings, dataDirectory } = this.#parts;
    await bots.ids().catch((cause) => {
      throw fail.notReady(`database (${cause.code ?? 'error'})`);
    });
    if (!(await settings.engineState())?.available) throw fail.notReady('engine');
    const disk = await statfs(dataDirectory);
    if (disk.bavail * disk.bsize < leastFreeBytes) throw fail.notReady('disk');
  }
}
