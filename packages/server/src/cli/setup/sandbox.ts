// The gVisor sandbox (`runsc`) as a runtime of the engine: finding it, installing Debian's package,
// and the flags that its limits and isolation need.
import { release } from 'node:os';
import { installPackages } from '../../core/lib/apt-get.ts';
import { findProgram, runProgram } from '../../core/lib/program.ts';

/** An entry of `runtimes` in the engine's settings. */
export interface RuntimeEntry {
  path: string;
  runtimeArgs: string[];
}

export const sandboxName = 'runsc';

const folders = ['/usr/local/bin', '/usr/local/sbin', '/usr/bin', '/usr/sbin'];

/** The engine's runtime entry for this machine's runsc; null when there is none. */
export async function findSandbox(): Promise<RuntimeEntry | null> {
  const path = await findProgram(sandboxName, folders);
  if (path === null) return null;
  const version = (await runProgram(path, ['--version'])).join('\n');
  return { path, runtimeArgs: sandboxFlags(version, release()) };
}

export async function installSandbox(progress: (text: string) => void): Promise<void> {
  progress(`Installing the container runtime ${sandboxName} (Debian package)`);
  await installPackages([sandboxName]);
}

/** What operators must add to engine settings that are not Botel's. */
export function registrationAdvice(entry: RuntimeEntry | null): string {
  const shown = entry ?? { path: `/usr/bin/${sandboxName}`, runtimeArgs: sandboxFlags('', release()) };
  const install = entry ? '' : `Install the package ${sandboxName}, then add `;
  const json = JSON.stringify({ runtimes: { [sandboxName]: shown } });
  return `${install || 'Add '}${json} to /etc/docker/daemon.json and reload the engine (SIGHUP).`;
}

/** `version` is what `runsc --version` prints, `kernel` what `uname -r` does. */
export function sandboxFlags(version: string, kernel: string): string[] {
  // Also works in virtual machines without KVM.
  const platform = '--platform=ptrace';
  return sandboxLacksNetwork(version, kernel) ? [platform, '--network=none'] : [platform];
}

/**
 * Releases before August 2024 take every network namespace of Linux 6.11 or newer for the host's,
 * and refuse to start a container in it.
 */
export function sandboxLacksNetwork(version: string, kernel: string): boolean {
  const [, date] = /(20\d{6})/.exec(version) ?? [];
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10));
  const isNewKernel = major > 6 || (major === 6 && minor >= 11);
  return isNewKernel && date !== undefined && date < '20240801';
}
