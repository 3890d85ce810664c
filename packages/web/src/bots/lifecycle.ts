// Which of Start, Restart and Stop are available, and why not. Pure; the server decides again.
import type { BotData } from '@botel/contract/bots';

export type Verb = 'start' | 'restart' | 'stop' | 'kill';
export type Reason = 'why.online' | 'why.starting' | 'why.stopping' | 'why.offline' | 'why.suspended' | 'why.restoring';

export interface Action {
  verb: Verb;
  label: 'verb.start' | 'verb.restart' | 'verb.stop' | 'verb.cancel_start' | 'verb.stop_trying' | 'verb.kill';
  why: Reason | null;
}

type Shown = Pick<BotData, 'status' | 'phase' | 'next_restart_at'> & Partial<Pick<BotData, 'suspended'>>;

/** Start, Restart, and Stop or what replaces it. */
export function actionsOf({ status, phase, next_restart_at: retryAt, suspended }: Shown): [Action, Action, Action] {
  const blocked = suspended ? 'why.suspended' : phase === 'restoring' ? 'why.restoring' : null;
  const stopping = status === 'stopping' ? 'why.stopping' : null;
  const start: Record<BotData['status'], Reason | null> = {
    offline: blocked,
    starting: 'why.starting',
    online: 'why.online',
    stopping,
  };
  return [
    { verb: 'start', label: 'verb.start', why: start[status] },
    { verb: 'restart', label: 'verb.restart', why: stopping ?? blocked },
    stopOf(status, retryAt),
  ];
}

function stopOf(status: BotData['status'], retryAt: string | null): Action {
  switch (status) {
    case 'offline':
      return retryAt
        ? { verb: 'stop', label: 'verb.stop_trying', why: null }
        : { verb: 'stop', label: 'verb.stop', why: 'why.offline' };
    case 'starting':
      return { verb: 'stop', label: 'verb.cancel_start', why: null };
    case 'online':
      return { verb: 'stop', label: 'verb.stop', why: null };
    case 'stopping':
      return { verb: 'kill', label: 'verb.kill', why: null };
  }
}

/** Why Kill is unavailable; null = it is available. */
export function killFault({ status, next_restart_at: retryAt }: Shown): Reason | null {
  return status === 'offline' && retryAt === null ? 'why.offline' : null;
}
