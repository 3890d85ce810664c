// Installs Debian packages with apt-get, unattended.
import { ProgramError, runProgram } from './program.ts';

const environment = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
/** Waits for another apt-get, which often runs on newly set up machines. */
const patience = ['-q', '-o', 'DPkg::Lock::Timeout=120'];

/** Updates the lists only when the first try fails. Needs root. Rejects with ProgramError. */
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
