// Runs all checks of the doctor in sequence; the database check blocks its thread.
import type { Config } from '../../core/config/config.ts';
import { type Check, type Finding, fix } from './check.ts';
import { apps } from './checks/apps.ts';
import { clock } from './checks/clock.ts';
import { data } from './checks/data.ts';
import { disks } from './checks/disks.ts';
import { engine } from './checks/engine.ts';
import { gateway } from './checks/gateway.ts';
import { images } from './checks/images.ts';
import { network } from './checks/network.ts';
import { port } from './checks/port.ts';
import { program } from './checks/program.ts';
import { roles } from './checks/roles.ts';
import { runtimes } from './checks/runtimes.ts';
import { tls } from './checks/tls.ts';

export interface Checked extends Finding {
  check: Check['name'];
}

const checks: readonly Check[] = [
  program,
  engine,
  images,
  runtimes,
  network,
  data,
  roles,
  disks,
  port,
  gateway,
  apps,
  tls,
  clock,
];

export const checkNames = checks.map(({ name }) => name);

/** Reports the findings of each check as it ends. A failing check is itself a finding. */
export async function examine(config: Config, report: (findings: Checked[]) => void): Promise<void> {
  for (const check of checks) {
    const found = await check.run(config).catch((error: Error) => [
      // The message may contain anything; its single line is for the operator.
      fix(`this check failed: ${error.message}`, 'Look at what it names, then run the check again.'),
    ]);
    report(found.map((finding) => ({ check: check.name, ...finding })));
  }
}
