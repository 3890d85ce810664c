// Finished requests to apps: their access log lines and their sums per minute. Pure.
import { overLimitStatus } from './gateway-fault.ts';
import type { AccessLine } from './log-line.ts';
import { addTimes, type Times, timesOf } from './response-times.ts';

/** A finished request. Times in ms. */
export interface Access {
  /** Arrival (since the epoch) and duration. */
  at: number;
  ms: number;
  appId: string;
  botId: string;
  /** Run of the bot that answered; 0 = none. */
  run: number;
  method: string;
  /** Without the query, which may hold secrets. */
  path: string;
  /** Status sent to the client; 0 = the client left before an answer, 101 = protocol upgrade. */
  status: number;
  /** Body bytes, of the request and of the answer. */
  bytesIn: number;
  bytesOut: number;
  /** IP address of the client. */
  address: string;
}

/** Longest path in a line, in characters. */
const pathMax = 1_000;

/** `now` (ms): when the request ended. */
export function accessLineOf(access: Access, now: number): AccessLine {
  const { run, method, path, status, ms, address } = access;
  return {
    ts: new Date(now).toISOString(),
    run,
    method,
    path: path.length > pathMax ? `${path.slice(0, pathMax)}…` : path,
    status,
    ms,
    bytes_in: access.bytesIn,
    bytes_out: access.bytesOut,
    address,
  };
}

/** Requests to an app that ended within the minute from `at` (ms) on, counted by status class. */
export interface AppMinute {
  appId: string;
  at: number;
  requests: number;
  status2xx: number;
  status3xx: number;
  status4xx: number;
  status5xx: number;
  /** Rejected for exceeding the app's limits; included in `status4xx`. */
  refused: number;
  /** Requests that the times below cover: neither refused ones nor protocol upgrades. */
  timed: number;
  msSum: number;
  msMax: number;
  times: Times;
  bytesIn: number;
  bytesOut: number;
  /** When the newest request ended. */
  lastAt: number;
}

export const appMinuteMs = 60_000;

/** Whether the gateway rejected the request because the app was over its limits. */
export function isRefused({ run, status }: Access): boolean {
  return run === 0 && status === overLimitStatus;
}

/** The sums of a single request. */
export function minuteOf(access: Access, now: number): AppMinute {
  const { appId, status, bytesIn, bytesOut } = access;
  const refused = isRefused(access);
  const ms = refused || status === 101 ? null : access.ms;
  const of = (hundreds: number) => (Math.floor(status / 100) === hundreds ? 1 : 0);
  return {
    appId,
    at: Math.floor(now / appMinuteMs) * appMinuteMs,
    requests: 1,
    status2xx: of(2),
    status3xx: of(3),
    status4xx: of(4),
    status5xx: of(5),
    refused: refused ? 1 : 0,
    timed: ms === null ? 0 : 1,
    msSum: ms ?? 0,
    msMax: ms ?? 0,
    times: timesOf(ms),
    bytesIn,
    bytesOut,
    lastAt: now,
  };
}

/** Adds two sums of the same app and minute. */
export function addMinutes(one: AppMinute, other: AppMinute): AppMinute {
  return {
    ...one,
    requests: one.requests + other.requests,
    status2xx: one.status2xx + other.status2xx,
    status3xx: one.status3xx + other.status3xx,
    status4xx: one.status4xx + other.status4xx,
    status5xx: one.status5xx + other.status5xx,
    refused: one.refused + other.refused,
    timed: one.timed + other.timed,
    msSum: one.msSum + other.msSum,
    msMax: Math.max(one.msMax, other.msMax),
    times: addTimes(one.times, other.times),
    bytesIn: one.bytesIn + other.bytesIn,
    bytesOut: one.bytesOut + other.bytesOut,
    lastAt: Math.max(one.lastAt, other.lastAt),
  };
}
