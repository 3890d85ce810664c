// Events of bots for their owners. Pure. Keys of `detail` are JSON as served by the API.
import type { ActorKind, BotStatus, EventType, Via } from '@botel/contract/vocabulary';
import type { App } from './app.ts';
import { type Bot, type DesiredState, type Exit, runMemoryMb } from './bot.ts';
import { hintSentence } from './exit-hints.ts';
import { rateText } from './output-throttle.ts';
import { type DiskLevel, type DiskUse, filesLimit, isOfFiles, mebibyte } from './quota.ts';
import { crashLoopFailures } from './status.ts';

/** The actor: a user by id and email, or Botel itself. */
export interface Actor {
  kind: ActorKind;
  id: string | null;
  name: string;
  /** Absent = unknown. */
  via?: Via;
}

/** An event before it is stored. */
export interface NewEvent {
  type: EventType;
  /** One sentence. */
  message: string;
  detail?: Record<string, unknown>;
}

/** `at` is ms since the epoch; ids increase in commit order. */
export interface BotEvent extends Required<NewEvent> {
  id: number;
  at: number;
  botId: string;
  actor: Actor;
}

/** For a new desired state; `status` is the bot's resulting status. */
export function lifecycleEvent({ name }: Bot, desired: DesiredState, status: BotStatus): NewEvent {
  const bot = `Bot "${name}"`;
  const detail = { generation: desired.generation };
  if (desired.state === 'deleted') return { type: 'bot.deleted', message: `${bot} was deleted`, detail };
  if (desired.state === 'running') return { type: 'bot.starting', message: `${bot} is starting`, detail };
  if (status === 'offline') return { type: 'bot.offline', message: `${bot} will not be restarted`, detail };
  return { type: 'bot.stopping', message: `${bot} is ${desired.kill ? 'being killed' : 'stopping'}`, detail };
}

const fields: Partial<Record<keyof Bot, string>> = {
  memoryMb: 'memory',
  diskMb: 'disk_mb',
  startupCommand: 'startup_command',
  buildCommand: 'build_command',
  runtimeVersion: 'runtime_version',
  restartPolicy: 'restart_policy',
};

/** For a suspension by an admin, or its end. */
export function suspensionEvent({ name }: Bot, suspension: string | null): NewEvent {
  if (suspension === null) return { type: 'bot.unsuspended', message: `Bot "${name}" may run again` };
  const why = suspension === '' ? '' : `: ${suspension}`;
  return { type: 'bot.suspended', message: `Bot "${name}" was suspended${why}`, detail: { reason: suspension } };
}

/** For changed settings, named as in the API. */
export function updateEvent({ name }: Bot, change: object): NewEvent {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const names = given.map(([key]) => fields[key as keyof Bot] ?? key);
  return { type: 'bot.updated', message: `Bot "${name}" was updated`, detail: { fields: names } };
}

/** For an access to the values of the bot's variables. */
export function readEvent({ name }: Bot): NewEvent {
  return { type: 'env.read', message: `The environment of bot "${name}" was read` };
}

/** For an app that was created or deleted. */
export function appEvent(app: App, verb: 'created' | 'deleted'): NewEvent {
  const detail = { app_id: app.id, name: app.name };
  return { type: `app.${verb}`, message: `App "${app.name}" was ${verb}`, detail };
}

/** For a bot whose files reached a level of their limit that its owner should know of. */
export function diskEvent({ name, diskMb }: Bot, level: DiskLevel, use: DiskUse): NewEvent {
  const what = isOfFiles(use, diskMb)
    ? `has ${use.files} of its ${filesLimit(diskMb)} files`
    : `uses ${Math.ceil(use.bytes / mebibyte)} MB of its ${diskMb} MB of disk`;
  const limits = { limit_bytes: diskMb * mebibyte, limit_files: filesLimit(diskMb) };
  return {
    type: `disk.${level}`,
    message: `Bot "${name}" ${what}`,
    detail: { used_bytes: use.bytes, used_files: use.files, ...limits },
  };
}

/** For a bot whose output is throttled from now on. */
export function throttleEvent({ name, observed }: Bot, bytesPerSecond: number): NewEvent {
  const message = `Bot "${name}" wrote ${rateText(bytesPerSecond)} of output, which is being held back`;
  return { type: 'log.flood', message, detail: { run: observed.run, bytes_per_second: Math.round(bytesPerSecond) } };
}

/** For a run that began without a call: a retry, or the resumption of an interrupted one. */
export function retryEvent({ name }: Bot, run: number): NewEvent {
  return { type: 'bot.starting', message: `Bot "${name}" is starting again`, detail: { run } };
}

export function onlineEvent({ name }: Bot, run: number): NewEvent {
  return { type: 'bot.online', message: `Bot "${name}" is online`, detail: { run } };
}

/** For a process of the bot that was killed for memory while the bot itself kept running. */
export function processKilledEvent(bot: Bot): NewEvent {
  const { name, observed } = bot;
  const what = `a process was killed at the limit of ${runMemoryMb(bot)} MB; the bot runs on`;
  return { type: 'bot.oom', message: `Bot "${name}": Out of memory: ${what}`, detail: { run: observed.run } };
}

/** For a bot that stayed online long enough for its failures to be forgiven. */
export function recoveredEvent({ name, observed }: Bot): NewEvent {
  const detail = { run: observed.run, failures: observed.failures };
  return { type: 'bot.recovered', message: `Bot "${name}" has recovered`, detail };
}

/** One event, and a second one when a crash loop begins. `retryAt` in ms. */
export function exitEvents(bot: Bot, exit: Exit, next: { failures: number; retryAt: number | null }): NewEvent[] {
  const detail = {
    run: exit.run,
    reason: exit.reason,
    code: exit.code,
    signal: exit.signal,
    uptime_seconds: Math.round(exit.uptimeSeconds * 1000) / 1000,
    memory_peak_mb: exit.memoryPeakMb,
    hint: exit.hint ? { ...exit.hint, text: hintSentence(exit.hint) } : null,
    next_restart_at: next.retryAt === null ? null : new Date(next.retryAt).toISOString(),
  };
  const events: NewEvent[] = [{ type: typeOf(exit), message: messageOf(bot, exit), detail }];
  if (next.failures === crashLoopFailures) {
    const message = `Bot "${bot.name}" failed ${next.failures} times in a row`;
    events.push({ type: 'bot.crash_loop', message, detail: { run: exit.run, failures: next.failures } });
  }
  return events;
}

function typeOf({ reason }: Exit): EventType {
  switch (reason) {
    case 'crashed':
      return 'bot.crashed';
    case 'oom':
      return 'bot.oom';
    case 'build_failed':
      return 'install.failed';
    default:
      return 'bot.offline';
  }
}

function messageOf({ name }: Bot, { reason, message }: Exit): string {
  if (reason === 'stopped') return `Bot "${name}" was stopped`;
  if (reason === 'killed') return `Bot "${name}" was killed`;
  return `Bot "${name}": ${message}`;
}
