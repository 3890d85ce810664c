// Whether this process is ready: database, engine, firewall, disk, queue.
import { statfs } from 'node:fs/promises';
import { type MachinePart, machineParts } from '@botel/contract/vocabulary';
import type { AgentClient } from '../../core/link/agent-client.ts';
import { fail } from '../../core/domain/errors.ts';
import type { HostStorage } from '../../core/data-folder/host-storage.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { SettingStore } from '../../core/store/settings.ts';

const minFreeBytes = 256 * 1024 * 1024;
/** Steps that take long have lanes and bounds: a longer wait means that no worker gets free. */
const maxWaitSeconds = 60;

/** `fault` null = fine. */
export interface PartState {
  part: MachinePart;
  fault: string | null;
}

interface Deps {
  bots: BotReader;
  settings: SettingStore;
  storage: Pick<HostStorage, 'level'>;
  /** Whether the agent answers, and its state. */
  agent: Pick<AgentClient, 'answers' | 'state'>;
  dataDirectory: string;
}

export class ReadinessService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Resolves when all parts work; fails with `not_ready`, naming the first that does not. */
  async check(): Promise<void> {
    for (const check of Object.values(this.#checks)) {
      const fault = await check();
      if (fault !== null) throw fail.notReady(fault);
    }
  }

  /** How long a bot has waited for a worker; 0 while the agent does not answer. */
  get oldestWaitSeconds(): number {
    return Math.round((this.#deps.agent.state?.oldestWaitMs ?? 0) / 1000);
  }

  /** All parts with their faults. */
  async inspect(): Promise<PartState[]> {
    const states: PartState[] = [];
    for (const part of machineParts) states.push({ part, fault: await this.#checks[part]().catch(() => part) });
    return states;
  }

  /** Each returns the fault in the words of `not_ready`; null = none. */
  readonly #checks: Record<MachinePart, () => Promise<string | null>> = {
    database: () =>
      this.#deps.bots.ids().then(
        () => null,
        (error) => `database (${(error.cause ?? error).code ?? 'error'})`,
      ),
    agent: async () => (this.#deps.agent.answers(null) ? null : 'agent'),
    engine: async () => ((await this.#deps.settings.engineState())?.available ? null : 'engine'),
    firewall: async () => (this.#deps.agent.state?.firewallFault === null ? null : 'firewall'),
    disk: async () => {
      if ((await this.#deps.storage.level()) === 'full') return 'disk';
      const disk = await statfs(this.#deps.dataDirectory);
      return disk.bavail * disk.bsize < minFreeBytes ? 'disk' : null;
    },
    queue: async () => {
      const seconds = this.oldestWaitSeconds;
      return seconds > maxWaitSeconds ? `queue (a bot has waited for ${seconds} s)` : null;
    },
  };
}
