// Ensures a Caddy that understands our Caddyfile: the existing one, else Debian's.
import { readFile } from 'node:fs/promises';
import { installPackages } from '../../core/lib/apt-get.ts';
import { findProgram, ProgramError, runProgram, systemPath } from '../../core/lib/program.ts';
import { isCaddyNewEnough, oldestCaddy } from './caddy-plan.ts';
import { isDebianLike, readOsRelease } from './os-release.ts';

const elsewhere = `Install Caddy ${oldestCaddy} or newer (https://caddyserver.com/docs/install), then run this command again.`;

/** Resolves with the path of the program. Rejects with an Error with a message for the operator. */
export async function installCaddy(progress: (text: string) => void): Promise<string> {
  const program = (await findCaddy()) ?? (await installPackage(progress));
  const version = await caddyVersion(program);
  if (isCaddyNewEnough(version)) return program;
  throw new Error(`${program} is Caddy ${version}, which is too old. ${elsewhere}`);
}

/** Path of the program; null when there is none. */
export function findCaddy(): Promise<string | null> {
  return findProgram('caddy', systemPath.split(':'));
}

export async function caddyVersion(program: string): Promise<string> {
  return (await runProgram(program, ['version'])).at(-1) ?? '';
}

async function installPackage(progress: (text: string) => void): Promise<string> {
  const distribution = readOsRelease(await readFile('/etc/os-release', 'utf8').catch(() => ''));
  if (!isDebianLike(distribution)) throw new Error(`Caddy is not installed. ${elsewhere}`);
  if (process.getuid?.() !== 0) throw new Error('Caddy is not installed. Install it: sudo apt-get install caddy');
  progress('Installing Caddy (Debian package caddy)');
  try {
    await installPackages(['caddy']);
  } catch (error) {
    const lines = error instanceof ProgramError ? error.lines.slice(-8) : [];
    throw new Error(['Installing Caddy failed.', ...lines, elsewhere].join('\n'), { cause: error });
  }
  // The package starts to serve its example page on port 80, which is unwanted.
  if (await isCaddyServiceActive()) await runProgram('systemctl', ['disable', '--now', 'caddy.service']);
  const program = await findCaddy();
  if (program === null) throw new Error(`The package caddy does not contain the program. ${elsewhere}`);
  return program;
}

/** Whether the distribution's own service holds the ports. */
export function isCaddyServiceActive(): Promise<boolean> {
  return runProgram('systemctl', ['is-active', '--quiet', 'caddy.service']).then(
    () => true,
    () => false,
  );
}
