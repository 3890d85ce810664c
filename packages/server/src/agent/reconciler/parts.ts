// What the reconciler works with: everything that it is composed of. Types only.
import type { BotLocks } from '../../core/domain/backup.ts';
import type { DownloadFolders } from '../builds/download-folders.ts';
import type { Engine } from '../engine/engine.ts';
import type { Homes } from '../homes/homes.ts';
import type { HostStorage } from '../../core/data-folder/host-storage.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { Ids } from '../../core/lib/ids.ts';
import type { LogCapture } from '../capture/log-capture.ts';
import type { LogStore } from '../../core/logs/log-store.ts';
import type { NetworkGuard } from '../network/firewall.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { Database } from '../../core/store/database.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { ObservationStore } from '../../core/store/observations.ts';
import type { RunStore } from '../../core/store/runs.ts';
import type { Builder } from '../builds/builder.ts';
import type { DiskQuotaCheck } from './disk-quota-check.ts';
import type { HealthChecker } from './health-checker.ts';
import type { ImagePreparer } from './image-preparer.ts';

/** What a step works with. The types are structural where only a part is needed. */
export interface Parts {
  engine: Engine;
  database: Database;
  bots: BotReader;
  observations: ObservationStore;
  runs: RunStore;
  events: Pick<EventStore, 'add'>;
  logs: Pick<LogStore, 'system' | 'lastLines'>;
  capture: Pick<LogCapture, 'follow' | 'drain' | 'forget'>;
  homes: Pick<Homes, 'fit' | 'prepare' | 'path' | 'passwdPath' | 'launcherPath' | 'remove'>;
  images: ImagePreparer;
  health: HealthChecker;
  builder: Builder;
  /** How full the machine's own disks are. */
  storage: Pick<HostStorage, 'level'>;
  disks: Pick<DiskQuotaCheck, 'mustStop' | 'fault'>;
  /** The run of each bot whose output no throttle holds back. */
  unstoppable: ReadonlyMap<string, number>;
  downloads: Pick<DownloadFolders, 'folder'>;
  /** What else is going on with bots: one whose files are being restored is left alone. */
  locks: Pick<BotLocks, 'holder'>;
  /** Whether the bots' network is closed: while it is not, none is started. */
  guard: Pick<NetworkGuard, 'fault' | 'closePorts' | 'forget' | 'check'>;
  /** Longest time that a build may take. */
  buildLimitMs: number;
  clock: Clock;
  ids: Ids;
}
