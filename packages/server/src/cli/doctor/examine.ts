// All checks of the doctor, one after the other: that of the database keeps its thread busy.
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

/** A finding, and the check that made it. */
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

/** Tells the findings of each check as it ends. A check that breaks is a finding itself. */
export async function examine(config: Config, tell: (findings: Checked[]) => void): Promise<void> {
  for (const check of checks) {
    const found = await check.run(config).catch((error: Error) => [
      // What it says may hold anything; the one line of it is for the operator.
      fix(`this check failed: ${error.message}`, 'Look at what it names, then run the check again.'),
    ]);
    tell(found.map((finding) => ({ check: check.name, ...finding })));
  }
}
