// Unit tests of reading control groups, on recorded file trees.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { memoryPeakBytes } from './cgroup.ts';

const directory = await mkdtemp(join(tmpdir(), 'botel-cgroup-'));
after(() => rm(directory, { recursive: true, force: true }));

const id = 'a'.repeat(64);
let trees = 0;

async function tree(files: Record<string, string>): Promise<string> {
  const root = join(directory, String(++trees));
  await mkdir(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

for (const [name, path] of [
  ['version 1, cgroupfs', `memory/docker/${id}/memory.max_usage_in_bytes`],
  ['version 1, systemd', `memory/system.slice/docker-${id}.scope/memory.max_usage_in_bytes`],
  ['version 2, cgroupfs', `docker/${id}/memory.peak`],
  ['version 2, systemd', `system.slice/docker-${id}.scope/memory.peak`],
] as const) {
  test(name, async () => {
    assert.equal(await memoryPeakBytes(id, await tree({ [path]: '20123648\n' })), 20_123_648);
  });
}

test('a kernel that does not count the peak, and a container that is gone', async () => {
  const root = await tree({ [`system.slice/docker-${id}.scope/memory.current`]: '1\n' });
  assert.equal(await memoryPeakBytes(id, root), null);
  assert.equal(await memoryPeakBytes('b'.repeat(64), root), null);
});

test('what is no number is unknown', async () => {
  assert.equal(await memoryPeakBytes(id, await tree({ [`docker/${id}/memory.peak`]: 'max\n' })), null);
});
