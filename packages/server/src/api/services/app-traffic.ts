// What callers may read about requests to their apps: lines, stored and live, and metrics.
import type { Caller } from '../../core/domain/access.ts';
import type { App } from '../../core/domain/app.ts';
import { appMinuteMs } from '../../core/domain/app-access.ts';
import type { AccessLine } from '../../core/domain/log-line.ts';
import { noTimes } from '../../core/domain/response-times.ts';
import { type MetricsQuery, stepsOf } from '../../core/domain/metrics-range.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { LineStore, LogBounds, LogFound, LogQuery, TailStart } from '../../core/logs/line-store.ts';
import type { AppMinutes, AppPoint } from '../../core/store/app-minutes.ts';
import type { AppStore } from '../../core/store/apps.ts';
import { AccessStream } from './access-stream.ts';
import type { Authenticator } from '../../core/services/authenticator.ts';
import type { AppsService } from './apps.ts';
import { LogDownload } from './log-download.ts';
import type { OpenStreams } from './open-streams.ts';

/** `points` has every step up to now, oldest first; `traffic` is null before the app existed. */
export interface AppMetrics {
  stepSeconds: number;
  points: { at: number; traffic: Omit<AppPoint, 'index'> | null }[];
}

interface Deps {
  apps: Pick<AppsService, 'own'>;
  store: Pick<AppStore, 'find'>;
  accounts: Pick<Authenticator, 'stillValid'>;
  lines: LineStore<AccessLine>;
  minutes: Pick<AppMinutes, 'points'>;
  streams: OpenStreams;
  clock: Clock;
}

const noRequests: Omit<AppPoint, 'index'> = {
  requests: 0,
  status2xx: 0,
  status3xx: 0,
  status4xx: 0,
  status5xx: 0,
  refused: 0,
  timed: 0,
  msSum: 0,
  msMax: 0,
  times: noTimes,
  bytesIn: 0,
  bytesOut: 0,
};

export class AppTrafficService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async history(caller: Caller, appId: string, query: Omit<LogQuery, 'filter'>): Promise<LogFound<AccessLine>> {
    const app = await this.#deps.apps.own(caller, appId);
    return this.#deps.lines.read(app.id, query);
  }

  /** Opens a download of the stored lines; it counts as a stream, and the caller closes it. */
  async download(caller: Caller, appId: string, bounds: LogBounds): Promise<LogDownload<AccessLine>> {
    const app = await this.#deps.apps.own(caller, appId);
    const { lines, streams } = this.#deps;
    const subject = { key: app.id, name: app.name, lines, isThere: () => this.#isThere(app) };
    return streams.add(caller, () => new LogDownload(this.#deps, caller, subject, { ...bounds, filter: {} }));
  }

  /** Opens a live stream, which the caller closes. Fails when the app is not the caller's. */
  async open(caller: Caller, appId: string, start: TailStart): Promise<AccessStream> {
    const app = await this.#deps.apps.own(caller, appId);
    const subject = { appId: app.id, isThere: () => this.#isThere(app) };
    return this.#deps.streams.add(caller, () => new AccessStream(this.#deps, caller, subject, start));
  }

  async metrics(caller: Caller, appId: string, query: MetricsQuery): Promise<AppMetrics> {
    const { minutes, clock } = this.#deps;
    const app = await this.#deps.apps.own(caller, appId);
    const { seconds, stepSeconds } = stepsOf(query);
    const stepMs = stepSeconds * 1000;
    const count = Math.floor(seconds / stepSeconds);
    // Steps start on full minutes, like the stored metrics.
    const minute = Math.floor(clock.now() / appMinuteMs) * appMinuteMs;
    const first = (Math.floor(minute / stepMs) - count + 1) * stepMs;
    const known = new Map<number, Omit<AppPoint, 'index'>>();
    for (const { index, ...traffic } of await minutes.points(app.id, first, stepMs, first + count * stepMs))
      known.set(index, traffic);
    const points = Array.from({ length: count }, (_, index) => {
      const at = first + index * stepMs;
      const isBefore = at + stepMs <= app.createdAt;
      return { at, traffic: known.get(index) ?? (isBefore ? null : noRequests) };
    });
    return { stepSeconds, points };
  }

  async #isThere({ id }: App): Promise<boolean> {
    return (await this.#deps.store.find(id)) !== null;
  }
}
