// The dependencies of the reconciler. Types only.
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
import type { OwnerWork } from '../work/owner-work.ts';
import type { DiskQuotaCheck } from './disk-quota-check.ts';
import type { HealthChecker } from './health-checker.ts';
import type { ImagePreparer } from './image-preparer.ts';

/** The dependencies of a step. The types are structural where only a part is needed. */
export interface Deps {
  engine: Engine;
  database: Database;
  bots: BotReader;
  observations: ObservationStore;
  runs: RunStore;
  events: Pick<EventStore, 'add'>;
  logs: Pick<LogStore, 'system' | 'lastLines'>;
  capture: Pick<LogCapture, 'follow' | 'drain' | 'forget'>;
  homes: Pick<Homes, 'fit' | 'prepare' | 'path' | 'passwdPath' | 'launcherPath' | 'remove'>;
  /** Work on the files of bots for their owners. */
  work: Pick<OwnerWork, 'abortBot'>;
  images: ImagePreparer;
  health: HealthChecker;
  builder: Builder;
  /** How full the machine's own disks are. */
  storage: Pick<HostStorage, 'level'>;
  disks: Pick<DiskQuotaCheck, 'mustStop' | 'fault'>;
  /** The run of each bot whose output can't be throttled. */
  unstoppable: ReadonlyMap<string, number>;
  downloads: Pick<DownloadFolders, 'folder'>;
  /** Operations that lock a bot: while its files are being restored, it is left alone. */
  locks: Pick<BotLocks, 'holder'>;
  /** Whether the bots' network is closed: otherwise no bot is started. */
  guard: Pick<NetworkGuard, 'fault' | 'isolateBridgePorts' | 'forget' | 'check'>;
  /** Longest duration of a build. */
  buildLimitMs: number;
  clock: Clock;
  ids: Ids;
}
