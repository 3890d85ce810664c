// Sets the plan's bandwidth on every running container, within seconds, once until it changes.
import { ProgramError } from '../../core/lib/program.ts';
import type { AccountStore } from '../../core/store/accounts.ts';
import type { Task } from './driver.ts';

const everyMs = 2_000;

/** Limits a container to Mbit/s in either direction; false when it has no network or is gone. */
export type LimitContainer = (containerId: string, mbit: number) => Promise<boolean>;

interface Deps {
  accounts: Pick<AccountStore, 'limitedContainers'>;
  limit: LimitContainer;
  /** Reports once that the machine can't do it. */
  warn(fields: object, message: string): void;
}

export function limitBandwidth({ accounts, limit, warn }: Deps): Task {
  /** Mbit/s by container. */
  let done = new Map<string, number>();
  let hasWarned = false;

  async function apply(containerId: string, mbit: number): Promise<void> {
    try {
      if (await limit(containerId, mbit)) done.set(containerId, mbit);
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      if (!hasWarned) warn({ err: error, lines: error.lines }, "this machine can't limit the bandwidth of bots");
      hasWarned = true;
    }
  }

  return {
    name: 'limit-bandwidth',
    everyMs,
    async run() {
      const containers = await accounts.limitedContainers();
      const present = new Set(containers.map(({ containerId }) => containerId));
      done = new Map([...done].filter(([containerId]) => present.has(containerId)));
      for (const { containerId, mbit } of containers) {
        if (done.get(containerId) !== mbit) await apply(containerId, mbit);
      }
    },
  };
}
