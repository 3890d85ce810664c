// Installs the Docker engine from packages of Debian or Ubuntu.
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { installPackages } from '../../core/lib/apt-get.ts';
import { ProgramError } from '../../core/lib/program.ts';
import { daemonSettings, daemonSettingsPath } from './daemon-settings.ts';

/** The engine, its network rules, and what builds runtime images when no registry answers. */
const packages = ['docker.io', 'iptables', 'mmdebstrap', 'debian-archive-keyring'];

/** Needs root; starts the engine where systemd runs. Rejects with a message for the operator. */
export async function installEngine(progress: (text: string) => void): Promise<void> {
  progress('Installing the Docker engine (Debian packages docker.io and iptables; about a minute)');
  // Before the package, which starts the engine at once where it can.
  const isWritten = await writeSettings();
  try {
    await installPackages(packages);
  } catch (error) {
    if (isWritten) await rm(daemonSettingsPath, { force: true });
    const lines = error instanceof ProgramError ? error.lines.slice(-8) : [];
    throw new Error(['Installing the Docker engine failed', (error as Error).message, ...lines].join('\n'), {
      cause: error,
    });
  }
}

/** False when settings already exist. */
async function writeSettings(): Promise<boolean> {
  await mkdir(dirname(daemonSettingsPath), { recursive: true });
  try {
    await writeFile(daemonSettingsPath, daemonSettings(), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
