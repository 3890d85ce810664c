// Installs Debian packages on this machine by apt-get, unattended. Must not decide which, nor whether it may.
import { ProgramError, runProgram } from './program.ts';

const environment = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
/** Another apt-get may be at work, as it is on machines that have just been set up. */
const patience = ['-q', '-o', 'DPkg::Lock::Timeout=120'];

/**
 * Installs `packages` without recommended ones. Package lists are fetched only when the first try fails, since they may be
 * missing or out of date. Rejects with ProgramError. Needs root.
 */
export async function installPackages(packages: readonly string[], signal?: AbortSignal): Promise<void> {
  const install = [...patience, 'install', '-y', '--no-install-recommends', ...packages];
  try {
    await runProgram('apt-get', install, { environment, signal });
  } catch (error) {
    if (!(error instanceof ProgramError) || error.missing) throw error;
    await runProgram('apt-get', [...patience, 'update'], { environment, signal });
    await runProgram('apt-get', install, { environment, signal });
  }
}
