// Whether the system clock is synchronized and plausible: certificates, sessions, codes need it.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../../core/lib/program.ts';
import { type Check, type Finding, fix, ok, warn } from '../check.ts';

const patienceMs = 3_000;
const slackMs = 60_000;

/** In ms. `madeAt`: creation of this install. `isKept`: synchronized; null = unknown. */
export interface ClockFacts {
  now: number;
  madeAt: number | null;
  isKept: boolean | null;
}

export const clock: Check = {
  name: 'clock',
  async run({ dataDirectory }) {
    const made = await stat(join(dataDirectory, 'install-id')).catch(() => null);
    return [judgeClock({ now: Date.now(), madeAt: made?.mtimeMs ?? null, isKept: await askKernel() })];
  },
};

export function judgeClock({ now, madeAt, isKept }: ClockFacts): Finding {
  const shown = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const keep = 'Use a time server: timedatectl set-ntp true.';
  if (madeAt !== null && madeAt > now + slackMs)
    return fix(`the clock says ${shown(now)}, but this install was created on ${shown(madeAt)}`, keep);
  if (isKept === false) return warn(`the clock says ${shown(now)}; no time server sets it`, keep);
  return ok(`the clock says ${shown(now)}${isKept ? ', set by a time server' : ''}`);
}

/** The kernel's synchronization state, whichever program maintains it. */
async function askKernel(): Promise<boolean | null> {
  const args = ['show', '--property=NTPSynchronized', '--value'];
  const [said] = await runProgram('timedatectl', args, { signal: AbortSignal.timeout(patienceMs) }).catch(() => []);
  return said === 'yes' ? true : said === 'no' ? false : null;
}
