// `botel doctor`: reports what is fine, worth knowing or broken on this machine. Changes nothing.
import { printable } from '../core/lib/printable.ts';
import { type Checked, examine } from './doctor/examine.ts';
import { ownConfig } from './own-config.ts';

export async function doctor(options: { json?: boolean }): Promise<void> {
  const findings: Checked[] = [];
  await examine(ownConfig(), (found) => {
    findings.push(...found);
    if (!options.json) found.forEach(print);
  });
  if (options.json) for (const line of JSON.stringify(findings, null, 2).split('\n')) console.log(printable(line));
  if (findings.some((finding) => finding.state === 'fix')) process.exitCode = 1;
}

function print({ state, check, text, advice }: Checked): void {
  console.log(`${state.padEnd(5)}${check.padEnd(9)}${printable(text)}`);
  if (advice) console.log(`${' '.repeat(14)}${printable(advice)}`);
}
