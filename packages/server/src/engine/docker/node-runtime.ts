// Finds what the nodejs image is made of where no registry answers: the node binary that this install brought along, and
// npm. Must not touch images.
import { access, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as tar from 'tar';
import { ProgramError, runProgram } from '../../lib/program.ts';
import { EngineError } from '../engine.ts';

/** Goes with Node 24; pinned, so that an image is the same on every machine. */
const npmVersion = '11.19.1';

/** The node binary's path and version: the pinned package's, else the one that runs this program. */
export async function nodeBinary(): Promise<{ path: string; version: string }> {
  try {
    const manifest = fileURLToPath(import.meta.resolve(`node-linux-${process.arch}/package.json`));
    const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
    return { path: join(manifest, '../bin/node'), version };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return { path: process.execPath, version: process.versions.node };
  }
}

/** Names what the nodejs image would be made of. */
export async function nodeRuntimeVersion(): Promise<string> {
  return `node ${(await nodeBinary()).version} ${process.arch}, npm ${npmVersion}`;
}

/**
 * Unpacks npm into `target` (which exists). The archive is fetched once and kept in `cacheDirectory`; `workDirectory` takes
 * it while it is fetched. Rejects with EngineError `refused`.
 */
export async function unpackNpm(target: string, cacheDirectory: string, workDirectory: string): Promise<void> {
  const name = `npm-${npmVersion}.tgz`;
  const archive = join(cacheDirectory, name);
  const isCached = await access(archive).then(
    () => true,
    () => false,
  );
  if (!isCached) {
    try {
      await runProgram('npm', ['pack', `npm@${npmVersion}`, '--silent', '--pack-destination', workDirectory], {
        directory: workDirectory,
      });
    } catch (error) {
      const lines = error instanceof ProgramError ? error.lines.slice(-5) : [];
      throw new EngineError('refused', ['npm could not be fetched', (error as Error).message, ...lines].join('\n'), {
        cause: error,
      });
    }
    await rename(join(workDirectory, name), archive);
  }
  await tar.extract({ file: archive, cwd: target, strip: 1 });
}
