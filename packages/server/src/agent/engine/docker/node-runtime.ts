// Fetches the node binary and npm for a nodejs image where no image registry is reachable. The
// default version's binary came with this install; others are npm packages.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as tar from 'tar';
import { ProgramError, runProgram } from '../../../core/lib/program.ts';
import { EngineError } from '../engine.ts';

/** Runs on every supported node version; pinned, so that an image is the same on every machine. */
const npmVersion = '11.19.1';

/** Versions of `node-linux-<architecture>` for node versions that this install doesn't include. */
const releases: Record<string, string> = { '22': '22.23.3', '20': '20.20.2' };

/** `cache` keeps downloads; `work` is temporary, and its creator removes it. */
export interface FetchFolders {
  cache: string;
  work: string;
}

/** Identifies the content of a version's image. */
export async function nodeRuntimeVersion(version: string): Promise<string> {
  const release = releases[version] ?? (await ownNode()).version;
  return `node ${release} ${process.arch}, npm ${npmVersion}`;
}

/** Lays out the content of /usr/local in `target`: bin/node and npm. Rejects with `refused`. */
export async function layOutNode(version: string, target: string, folders: FetchFolders): Promise<void> {
  const binaries = join(target, 'bin');
  const npm = join(target, 'lib/node_modules/npm');
  await mkdir(binaries);
  await mkdir(npm, { recursive: true });
  const release = releases[version];
  if (release === undefined) await symlink((await ownNode()).path, join(binaries, 'node'));
  else {
    const file = await fetchedPackage(`node-linux-${process.arch}`, release, folders);
    await tar.extract({ file, cwd: binaries, strip: 2, filter: (path) => path === 'package/bin/node' });
  }
  await tar.extract({ file: await fetchedPackage('npm', npmVersion, folders), cwd: npm, strip: 1 });
}

/** The node binary's path and version: the pinned package's, else the one running this program. */
async function ownNode(): Promise<{ path: string; version: string }> {
  try {
    const manifest = fileURLToPath(import.meta.resolve(`node-linux-${process.arch}/package.json`));
    const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
    return { path: join(manifest, '../bin/node'), version };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return { path: process.execPath, version: process.versions.node };
  }
}

/** Path of an npm package's archive; fetched once and kept. */
async function fetchedPackage(name: string, version: string, { cache, work }: FetchFolders): Promise<string> {
  const file = `${name}-${version}.tgz`;
  const archive = join(cache, file);
  if (existsSync(archive)) return archive;
  try {
    await runProgram('npm', ['pack', `${name}@${version}`, '--silent', '--pack-destination', work], {
      directory: work,
    });
  } catch (error) {
    const lines = error instanceof ProgramError ? error.lines.slice(-5) : [];
    const text = [`${name} ${version} could not be fetched`, (error as Error).message, ...lines].join('\n');
    throw new EngineError('refused', text, { cause: error });
  }
  await rename(join(work, file), archive);
  return archive;
}
