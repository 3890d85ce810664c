// `botel doctor`: what is fine, what is worth knowing and what must be fixed on this machine. Changes nothing.
import type { Config } from '../config/config.ts';
import type { Check, Finding } from '../doctor/check.ts';
import { data } from '../doctor/checks/data.ts';
import { disks } from '../doctor/checks/disks.ts';
import { engine } from '../doctor/checks/engine.ts';
import { gateway } from '../doctor/checks/gateway.ts';
import { network } from '../doctor/checks/network.ts';
import { port } from '../doctor/checks/port.ts';
import { program } from '../doctor/checks/program.ts';
import { roles } from '../doctor/checks/roles.ts';
import { runtimes } from '../doctor/checks/runtimes.ts';
import { tls } from '../doctor/checks/tls.ts';
import { ownConfig } from './own-config.ts';

const checks: Check[] = [program, engine, runtimes, network, data, roles, disks, port, gateway, tls];

export async function doctor(options: { json?: boolean }): Promise<void> {
  const findings = await examine(ownConfig());
  if (options.json) console.log(JSON.stringify(findings, null, 2));
  else for (const finding of findings) print(finding);
  if (findings.some((finding) => finding.state === 'fix')) process.exitCode = 1;
}

async function examine(config: Config): Promise<(Finding & { check: string })[]> {
  const findings = [];
  for (const check of checks)
    for (const finding of await check.run(config)) findings.push({ check: check.name, ...finding });
  return findings;
}

function print(finding: Finding & { check: string }): void {
  console.log(`${finding.state.padEnd(5)}${finding.check.padEnd(9)}${finding.text}`);
  if (finding.advice) console.log(`${' '.repeat(14)}${finding.advice}`);
}
