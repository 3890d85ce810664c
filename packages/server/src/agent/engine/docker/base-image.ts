// Builds the Debian base of runtime images with mmdebstrap where no registry is reachable.
import { access } from 'node:fs/promises';
import { installPackages } from '../../../core/lib/apt-get.ts';
import { ProgramError, runProgram, startProgram } from '../../../core/lib/program.ts';
import { EngineError } from '../engine.ts';

const suite = 'trixie';
const archiveKeys = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Kept in the image, so that later layers stay small and quick too. */
const aptOptions = [
  'Acquire::Languages "none"',
  'APT::Install-Recommends "false"',
  // Without these, every layer that installs something contains 90 MB of apt's caches.
  'Dir::Cache::pkgcache ""',
  'Dir::Cache::srcpkgcache ""',
];
const dpkgOptions = [
  'force-unsafe-io',
  'path-exclude=/usr/share/doc/*',
  'path-exclude=/usr/share/man/*',
  'path-exclude=/usr/share/info/*',
  'path-exclude=/usr/share/locale/*',
  'path-exclude=/usr/share/lintian/*',
  // Needed only to build runtimes from a JDK, and to test the Go compiler itself.
  'path-exclude=/usr/lib/jvm/*/jmods/*',
  'path-exclude=/usr/share/go-*/test/*',
];

/** mmdebstrap's arguments: writes the system as a tar stream to standard output. */
export const baseArguments: readonly string[] = [
  '--variant=minbase',
  '--include=ca-certificates',
  '--format=tar',
  '--quiet',
  ...aptOptions.map((option) => `--aptopt=${option}`),
  ...dpkgOptions.map((option) => `--dpkgopt=${option}`),
  suite,
  '-',
];

/** `take` resolves when the engine has the system. Rejects with `refused` and an explanation. */
export async function makeBase(
  directory: string,
  signal: AbortSignal,
  take: (tar: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  await ensureTools(signal);
  const unwanted = new AbortController();
  const program = startProgram('mmdebstrap', baseArguments, {
    environment: { TMPDIR: directory },
    signal: AbortSignal.any([signal, unwanted.signal]),
  });
  try {
    await take(wholeOutput(program));
  } catch (error) {
    unwanted.abort();
    const cause = error instanceof EngineError ? ((error.cause as unknown) ?? error) : error;
    if (!(cause instanceof ProgramError)) throw error;
    throw new EngineError('refused', [cause.message, ...cause.lines.slice(-5)].join('\n'), { cause });
  } finally {
    // The program uses files in `directory` until it ends; its failure was reported above.
    await program.ended.catch(() => {});
  }
}

/** Fails instead of ending when the program fails: a partial system must not become an image. */
async function* wholeOutput({ stdout, ended }: ReturnType<typeof startProgram>): AsyncGenerator<Buffer> {
  for await (const chunk of stdout) yield chunk as Buffer;
  await ended;
}

async function ensureTools(signal: AbortSignal): Promise<void> {
  const tools = await Promise.allSettled([runProgram('mmdebstrap', ['--version']), access(archiveKeys)]);
  if (tools.every(({ status }) => status === 'fulfilled')) return;
  try {
    if (process.getuid?.() !== 0) throw new Error('Botel does not run as root');
    await installPackages(['mmdebstrap', 'debian-archive-keyring'], signal);
  } catch (error) {
    const reason = error instanceof ProgramError ? [error.message, ...error.lines.slice(-3)].join('\n') : String(error);
    throw new EngineError(
      'refused',
      'Building runtime images needs the program mmdebstrap, which is not on this machine and could not be installed. ' +
        'Install the packages mmdebstrap and debian-archive-keyring, or give the engine access to an image registry.\n' +
        reason,
      { cause: error },
    );
  }
}
