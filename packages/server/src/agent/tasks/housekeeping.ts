// Deletes old data.
import type { Clock } from '../../core/lib/clock.ts';
import type { AccessLine } from '../../core/domain/log-line.ts';
import type { LineStore } from '../../core/logs/line-store.ts';
import type { LogStore } from '../../core/logs/log-store.ts';
import type { AccountStore } from '../../core/store/accounts.ts';
import type { AppMinutes } from '../../core/store/app-minutes.ts';
import type { AppStore } from '../../core/store/apps.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { RunStore } from '../../core/store/runs.ts';
import type { CertificateStore } from '../../core/store/certificates.ts';
import type { EventStore } from '../../core/store/events.ts';
import type { IdempotencyKeys } from '../../core/store/idempotency-keys.ts';
import type { PasswordCodes } from '../../core/store/password-codes.ts';
import type { UsageStore } from '../../core/store/usage.ts';
import type { Task } from './driver.ts';

const hourMs = 60 * 60 * 1000;
const runsKeptMs = 90 * 24 * hourMs;
const eventsKeptMs = 90 * 24 * hourMs;
const idempotencyKeptMs = 24 * hourMs;
const usageMinutesKeptMs = 24 * hourMs;
/** Of a hostname that is still in use, the next renewal counts as new once more. */
const certificatesKeptMs = 365 * 24 * hourMs;
const usageKeptMs = 30 * 24 * hourMs;

interface Deps {
  logs: Pick<LogStore, 'prune'>;
  access: { lines: Pick<LineStore<AccessLine>, 'prune'>; minutes: Pick<AppMinutes, 'prune'> };
  apps: Pick<AppStore, 'prune' | 'ids'>;
  certificates: Pick<CertificateStore, 'prune'>;
  bots: Pick<BotReader, 'ids'>;
  runs: Pick<RunStore, 'prune'>;
  accounts: AccountStore;
  passwordCodes: Pick<PasswordCodes, 'removeExpired'>;
  idempotencyKeys: IdempotencyKeys;
  usage: UsageStore;
  events: EventStore;
  clock: Clock;
}

export function housekeeping(deps: Deps): Task[] {
  const {
    logs,
    access,
    apps,
    certificates,
    bots,
    runs,
    accounts,
    passwordCodes,
    idempotencyKeys,
    usage,
    events,
    clock,
  } = deps;
  const hourly = (name: string, run: () => Promise<void>): Task => ({ name, everyMs: hourMs, run });
  return [
    hourly('prune-logs', async () => {
      for (const id of await bots.ids()) await logs.prune(id);
    }),
    hourly('prune-access', async () => {
      for (const id of await apps.ids()) await access.lines.prune(id);
      await access.minutes.prune(clock.now() - usageKeptMs);
    }),
    hourly('prune-runs', () => runs.prune(clock.now() - runsKeptMs)),
    {
      name: 'prune-events',
      everyMs: hourMs / 6,
      run: () => events.prune({ before: clock.now() - eventsKeptMs, maxPerOwner: 20_000, max: 1_000_000 }),
    },
    hourly('prune-usage', async () => {
      await usage.rollUp(clock.now() - usageMinutesKeptMs);
      await usage.prune(clock.now() - usageKeptMs);
    }),
    hourly('prune-app-names', async () => {
      await apps.prune(clock.now());
      await certificates.prune(clock.now() - certificatesKeptMs);
    }),
    hourly('prune-sessions', async () => {
      await accounts.removeExpiredSessions(clock.now());
      await passwordCodes.removeExpired(clock.now());
      await idempotencyKeys.prune(clock.now() - idempotencyKeptMs);
    }),
  ];
}
