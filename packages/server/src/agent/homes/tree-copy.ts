// Copies trees out of a home into staging, links as links.
import { type FileHandle, lchown, symlink } from 'node:fs/promises';
import { BoundedBytes, type ByteLimit } from './file-content.ts';
import type { Unpacked } from './archive.ts';
import { NewFiles } from './new-files.ts';
import { canGiveAway } from './ownership.ts';
import type { Work } from '../work/owner-work.ts';
import { countedFiles, type SourceEntry } from './tree-source.ts';
import { createFile, entryPath, makeFolder, openFolder } from './walk.ts';

/** Creates `entries` (folders before their content) in the empty folder `tree`, for `uid`. */
export async function copyInto(
  tree: FileHandle,
  entries: AsyncIterable<SourceEntry>,
  { uid, limit, work }: { uid: number; limit: ByteLimit; work: Work },
): Promise<Unpacked> {
  const bytes = new BoundedBytes(limit);
  let count = 0;
  await using files = new NewFiles();
  for await (const entry of countedFiles(entries, work)) {
    await using folder = await openFolder(tree, entry.path.slice(0, -1));
    const name = entry.path.at(-1) ?? '';
    const mode = Number(entry.stats.mode);
    if (entry.kind === 'folder') {
      // The owner must be able to use it, and so must this process when it is not root.
      await using _ = await makeFolder(folder, name, { uid, mode: mode | 0o700 });
      continue;
    }
    count++;
    if (entry.kind === 'link') {
      await symlink(entry.target, entryPath(folder, name));
      if (canGiveAway) await lchown(entryPath(folder, name), uid, uid);
      continue;
    }
    await files.add(await createFile(folder, name), { uid, mode, modifiedAt: null }, bytes.count(entry.content()));
  }
  await files.finish();
  return { files: count, bytes: bytes.total };
}
