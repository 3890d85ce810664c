// The part of the composition root that makes what keeps the requests to apps: written by the process of the gateway, read by that
// of the API. Must not be imported by anything but the files that compose parts.
import type { AccessLine } from '../core/domain/log-line.ts';
import type { Clock } from '../core/lib/clock.ts';
import { LineStore } from '../core/logs/line-store.ts';
import { AppMinutes } from '../core/store/app-minutes.ts';
import type { Database } from '../core/store/database.ts';
import { accessTables, LineChunks } from '../core/store/line-chunks.ts';

/** Of the requests to one app. */
const accessLimits = { maxBytes: 64 * 1024 * 1024, maxAgeDays: 30 };

/** Requests to apps: their lines, and their numbers by the minute. */
export interface AccessParts {
  lines: LineStore<AccessLine>;
  minutes: AppMinutes;
}

export function accessParts(database: Database, clock: Clock): AccessParts {
  const table = new LineChunks(database, accessTables);
  return {
    lines: new LineStore<AccessLine>({ table, database, clock, limits: accessLimits }),
    minutes: new AppMinutes(database),
  };
}
