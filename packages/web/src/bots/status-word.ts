// The label of a bot's status, for lists, headers and the palette. Pure.
import type { BotData } from '@botel/contract/bots';
import type { StatusReason } from '@botel/contract/vocabulary';

export type Tone = 'good' | 'busy' | 'bad' | 'idle';
type StatusKey =
  | 'status.online'
  | 'status.starting'
  | 'status.stopping'
  | 'status.offline'
  | 'status.crashed'
  | 'status.oom'
  | 'status.could_not_start'
  | 'status.crash_loop'
  | 'status.disk_full'
  | 'status.suspended'
  | 'status.exited';

export interface StatusWord {
  key: StatusKey;
  tone: Tone;
}

type Shown = Pick<BotData, 'status' | 'status_reason'>;

const offline: Record<StatusReason, StatusWord> = {
  crashed: { key: 'status.crashed', tone: 'bad' },
  vanished: { key: 'status.crashed', tone: 'bad' },
  exited: { key: 'status.exited', tone: 'bad' },
  oom: { key: 'status.oom', tone: 'bad' },
  start_failed: { key: 'status.could_not_start', tone: 'bad' },
  build_failed: { key: 'status.could_not_start', tone: 'bad' },
  crash_loop: { key: 'status.crash_loop', tone: 'bad' },
  disk_full: { key: 'status.disk_full', tone: 'bad' },
  suspended: { key: 'status.suspended', tone: 'bad' },
  engine_unavailable: { key: 'status.offline', tone: 'idle' },
};

export function statusWord({ status, status_reason: reason }: Shown): StatusWord {
  if (status === 'online') return { key: 'status.online', tone: 'good' };
  if (status === 'starting') return { key: 'status.starting', tone: 'busy' };
  if (status === 'stopping') return { key: 'status.stopping', tone: 'busy' };
  return offline[reason as StatusReason] ?? { key: 'status.offline', tone: 'idle' };
}

/** The filter chips above the list. */
export const groups = ['all', 'online', 'working', 'crashed', 'offline'] as const;
export type Group = (typeof groups)[number];

/** The chip of a bot, besides `all`. */
export function groupOf(bot: Shown): Group {
  const { tone } = statusWord(bot);
  return tone === 'good' ? 'online' : tone === 'busy' ? 'working' : tone === 'bad' ? 'crashed' : 'offline';
}
