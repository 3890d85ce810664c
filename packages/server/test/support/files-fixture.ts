// A bot with a home in a temporary folder, for the tests of this folder.
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { fail } from '../../src/core/domain/errors.ts';
import { type ArchiveBounds, archiveBounds } from '../../src/agent/homes/archive.ts';
import { BotFiles } from '../../src/agent/homes/bot-files.ts';
import type { ByteLimit } from '../../src/agent/homes/file-content.ts';
import type { Work } from '../../src/agent/work/owner-work.ts';
import { Homes } from '../../src/agent/homes/homes.ts';

export function makeFiles(t: TestContext, bounds: Partial<ArchiveBounds> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'botel-files-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const outside = join(directory, 'outside');
  mkdirSync(outside);
  const launcherSource = join(directory, 'launch-source');
  writeFileSync(launcherSource, '#!/bin/sh\n');
  const homes = new Homes({ directory, launcherSource });
  const bot = { id: '6f1c4c1e-8a51-4f3c-9d57-0c3f1f5b2a10', uid: 100_777 };
  return {
    directory,
    outside,
    launcherSource,
    homes,
    bot,
    files: new BotFiles({ homes, archiveBounds: { ...archiveBounds, ...bounds } }),
    home: homes.path(bot.id),
    staging: join(directory, 'staging'),
  };
}

/** Work without bounds. */
export const freeWork: Work = {
  signal: new AbortController().signal,
  read: () => {},
  write: () => {},
  entry: () => {},
};

/** At most so many bytes; the error tells how many MB. */
export function limitOf(bytes: number): ByteLimit {
  return { bytes, error: () => fail.fileTooLarge(Math.floor(bytes / 1024 / 1024)) };
}

/** Open files of this process. */
export function openFileCount(): number {
  return readdirSync('/proc/self/fd').length;
}

/** Resolves once no more files are open than `count`: streams close theirs just after their end. */
export async function untilOpenFiles(count: number): Promise<void> {
  const until = Date.now() + 5000;
  while (openFileCount() > count) {
    if (Date.now() > until) throw new Error(`${openFileCount()} files are open, expected ${count}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Everything below a folder: content of files, `-> target` of links, '' for folders (their names
 * end in '/'). */
export function treeOf(directory: string): Record<string, string> {
  const tree: Record<string, string> = {};
  // Buffers throughout: a name need not be UTF-8.
  const proxied = (at: Buffer, shown: string) => {
    for (const name of readdirSync(at, { encoding: 'buffer' }).toSorted(Buffer.compare)) {
      const path = Buffer.concat([at, Buffer.from('/'), name]);
      const stats = lstatSync(path);
      if (stats.isDirectory()) {
        tree[`${shown}${name}/`] = '';
        proxied(path, `${shown}${name}/`);
      } else if (stats.isSymbolicLink()) tree[shown + name] = `-> ${readlinkSync(path)}`;
      else tree[shown + name] = readFileSync(path, 'utf8');
    }
  };
  proxied(Buffer.from(directory), '');
  return tree;
}
