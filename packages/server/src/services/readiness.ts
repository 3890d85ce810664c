// Whether this process can do its work: database, engine, firewall, disk.
import { statfs } from 'node:fs/promises';
import { fail } from '../domain/errors.ts';
import type { HostStorage } from '../files/host-storage.ts';
import type { BotStore } from '../store/bots.ts';
import type { SettingStore } from '../store/settings.ts';

const leastFreeBytes = 256 * 1024 * 1024;

interface Parts {
  bots: BotStore;
  settings: SettingStore;
  /** `lastFault`: null when the bots' network is known to be closed. */
  guard: { readonly lastFault: string | null | undefined };
  storage: Pick<HostStorage, 'level'>;
  /** Whether the half that makes wishes true is there. */
  agent: { readonly answers: boolean };
  dataDirectory: string;
}

export class ReadinessService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Resolves when all parts work; fails with `not_ready` naming the first that does not. */
  async check(): Promise<void> {
    const { bots, settings, guard, agent, storage, dataDirectory } = this.#parts;
    await bots.ids().catch((cause) => {
      throw fail.notReady(`database (${cause.code ?? 'error'})`);
    });
    if (!agent.answers) throw fail.notReady('agent');
    if (!(await settings.engineState())?.available) throw fail.notReady('engine');
    if (guard.lastFault !== null) throw fail.notReady('firewall');
    if ((await storage.level()) === 'full') throw fail.notReady('disk');
    const disk = await statfs(dataDirectory);
    if (disk.bavail * disk.bsize < leastFreeBytes) throw fail.notReady('disk');
  }
}
