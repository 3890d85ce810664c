// Reports when the machine's disks fill up or have room again; truncates logs on full ones.
import type { StorageLevel } from '../../core/domain/storage.ts';
import type { AccessLine } from '../../core/domain/log-line.ts';
import type { HostStorage } from '../../core/data-folder/host-storage.ts';
import type { LineStore } from '../../core/logs/line-store.ts';
import type { LogStore } from '../../core/logs/log-store.ts';
import type { AppStore } from '../../core/store/apps.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { Task } from './driver.ts';

/** Share of its limit that a log is cut to on a full disk. */
const logPart = 0.25;

const texts: Record<StorageLevel, string> = {
  ok: 'the disks have room again',
  warning: 'the disks fill up',
  full: 'the disks are full: new work is refused, what runs goes on',
};

interface Deps {
  storage: Pick<HostStorage, 'level'>;
  logs: Pick<LogStore, 'prune'>;
  access: { lines: Pick<LineStore<AccessLine>, 'prune'> };
  apps: Pick<AppStore, 'ids'>;
  bots: Pick<BotReader, 'ids'>;
  report(level: 'info' | 'warn', text: string): void;
}

export function watchStorage({ storage, logs, access, bots, apps, report }: Deps): Task {
  let before: StorageLevel = 'ok';
  return {
    name: 'watch-storage',
    everyMs: 10_000,
    async run() {
      const level = await storage.level();
      if (level !== before) report(level === 'ok' ? 'info' : 'warn', texts[level]);
      const isNew = level === 'full' && before !== 'full';
      before = level;
      if (!isNew) return;
      for (const id of await bots.ids()) await logs.prune(id, logPart);
      for (const id of await apps.ids()) await access.lines.prune(id, logPart);
    },
  };
}
