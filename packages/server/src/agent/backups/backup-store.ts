// Backup files on this machine: `<directory>/<bot>/<backup>.tar.gz`, written under a temporary name
// until complete and synced to disk.
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { failpoint } from '../../core/lib/failpoint.ts';
import { isUuid } from '../../core/lib/ids.ts';

const ending = '.tar.gz';
const unfinished = '.new';

export interface WrittenBackup {
  sizeBytes: number;
  /** SHA-256 of the file, in hex. */
  sha256: string;
}

export class BackupStore {
  readonly #directory: string;

  /** Creates `directory` (0700) when it is missing. */
  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** Removes incomplete files that an earlier process left. Call before the first `write`. */
  async recover(): Promise<void> {
    for (const botId of await readdir(this.#directory)) {
      const folder = join(this.#directory, botId);
      const names = await readdir(folder);
      const left = names.filter((name) => name.endsWith(unfinished));
      for (const name of left) await rm(join(folder, name));
      if (left.length === names.length) await rmdir(folder);
    }
  }

  /** Stores a backup: all of it when this resolves, nothing when it rejects. */
  async write(botId: string, backupId: string, chunks: AsyncIterable<Buffer>): Promise<WrittenBackup> {
    const path = this.#path(botId, backupId);
    if (await mkdir(this.#folder(botId), { recursive: true, mode: 0o700 })) await syncFolder(this.#directory);
    const fresh = path + unfinished;
    try {
      const written = await writeHashed(fresh, chunks);
      await failpoint('backup.written');
      await rename(fresh, path);
      await syncFolder(this.#folder(botId));
      await failpoint('backup.named');
      return written;
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  }

  /** A backup's bytes; the stream must be read or destroyed. Rejects when the file is missing. */
  async read(botId: string, backupId: string, signal?: AbortSignal): Promise<{ sizeBytes: number; stream: Readable }> {
    const file = await open(this.#path(botId, backupId));
    const { size } = await file.stat();
    return { sizeBytes: size, stream: file.createReadStream({ signal }) };
  }

  /** Whether the file exists and is the one that was written. */
  async isWhole(backup: { botId: string; id: string; sha256: string }, signal?: AbortSignal): Promise<boolean> {
    const path = this.#path(backup.botId, backup.id);
    if (!(await stat(path).catch(unlessGone))) return false;
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path, { signal, highWaterMark: 256 * 1024 })) hash.update(chunk);
    return hash.digest('hex') === backup.sha256;
  }

  /** Deletes a backup; a missing one is fine. */
  async remove(botId: string, backupId: string): Promise<void> {
    await rm(this.#path(botId, backupId), { force: true });
  }

  /** Deletes all backups of a bot. */
  async removeAll(botId: string): Promise<void> {
    await rm(this.#folder(botId), { recursive: true, force: true });
  }

  #folder(botId: string): string {
    return join(this.#directory, fileName(botId));
  }

  #path(botId: string, backupId: string): string {
    return join(this.#folder(botId), fileName(backupId) + ending);
  }
}

async function writeHashed(path: string, chunks: AsyncIterable<Buffer>): Promise<WrittenBackup> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      yield chunk;
    }
  }
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(counted());
  await file.sync();
  return { sizeBytes, sha256: hash.digest('hex') };
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

/** Ids come from the store; this check keeps a bug elsewhere from turning into a path. */
function fileName(id: string): string {
  if (!isUuid(id)) throw new Error('The id of a bot or backup is not a UUID');
  return id;
}

function unlessGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
