// Homes in images: limits that hold for everyone but root, growth, and crash leftovers. Uses real
// loop devices; skipped, with the reason, on machines without them.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, mkdirSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { chmodSync, chownSync, readFileSync, readdirSync, renameSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { HomeImages } from './home-images.ts';
import { tryImages } from './image-tools.ts';

const mebibyte = 1024 * 1024;
const uid = 100_001;
const id = '0b0b0b0b-0000-4000-8000-000000000001';
const size = { limitBytes: 24 * mebibyte, files: 512 };

const directory = mkdtempSync(join(tmpdir(), 'botel images '));
chmodSync(directory, 0o711);
const fault = await tryImages(directory);
after(() => {
  for (const name of existsSync(homes) ? readdirSync(homes) : []) spawnSync('umount', [join(homes, name)]);
  rmSync(directory, { recursive: true });
});
const [homes, images] = [join(directory, 'homes'), join(directory, 'images')];
const image = join(images, `${id}.img`);
const at = join(homes, id);

/** Images as seen by a newly started process. */
function begin(): HomeImages {
  mkdirSync(homes, { recursive: true, mode: 0o711 });
  return new HomeImages(homes, images);
}

/** Writes as the bot up to `bytes` or until the disk is full; returns what it wrote. */
function writeAsBot(name: string, bytes: number): { bytes: number; full: boolean } {
  const path = join(at, 'home', name);
  const count = String(Math.ceil(bytes / mebibyte));
  const args = ['--reuid', String(uid), '--regid', String(uid), '--clear-groups', '--bounding-set=-all'];
  const run = spawnSync('setpriv', [...args, 'dd', 'if=/dev/zero', `of=${path}`, 'bs=1M', `count=${count}`]);
  return { bytes: statSync(path).size, full: run.stderr.toString().includes('No space left on device') };
}

async function made(): Promise<HomeImages> {
  const all = begin();
  await all.make(id, size);
  chownSync(join(at, 'home'), uid, uid);
  return all;
}

describe('an image', { skip: fault ?? false }, () => {
  test('holds what its bot may have, in bytes and in files, and not more; deleting frees it, on the machine too', async () => {
    const all = await made();
    const { bytes, full } = writeAsBot('data', 100 * mebibyte);
    assert.equal(full, true);
    assert.ok(bytes > size.limitBytes * 0.95 && bytes <= size.limitBytes, `${bytes} of ${size.limitBytes}`);
    assert.ok((await all.use(id)).bytes >= bytes);
    // Root has reserved space for staging.
    writeFileSync(join(at, 'staging', 'beside'), Buffer.alloc(20 * mebibyte, 1));
    const taken = () => statSync(image).blocks * 512;
    execFileSync('sync', ['-f', at]);
    const before = taken();
    for (const name of ['home/data', 'staging/beside']) rmSync(join(at, name));
    execFileSync('sync', ['-f', at]);
    // ext4 tells the device of free blocks some time after they became free.
    await until(async () => taken() < before - 40 * mebibyte);
    assert.ok((await all.use(id)).bytes < mebibyte);
    let files = 0;
    const create = () => {
      for (; files < 2 * size.files; files++) closeSync(openSync(join(at, 'home', `f${files}`), 'w'));
    };
    assert.throws(create, { code: 'ENOSPC' });
    assert.ok(files > size.files * 0.9);
    await all.remove(id);
    assert.deepEqual([readdirSync(homes), readdirSync(images)], [[], []]);
    assert.equal(execFileSync('losetup', ['--list']).includes(id), false);
  });

  test('that became read-only on a full machine is repaired once there is room and nobody uses it', async () => {
    mkdirSync(homes, { recursive: true });
    mkdirSync(images, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'botel-full', images]);
    const all = await made();
    const write = (name: string, bytes = 100) =>
      writeFileSync(join(at, 'home', name), Buffer.alloc(bytes, 1), { flush: true });
    try {
      write('before');
      execFileSync('sync', ['-f', at]);
      assert.throws(() => writeFileSync(join(images, 'ballast'), Buffer.alloc(100 * mebibyte)), { code: 'ENOSPC' });
      assert.throws(
        () => {
          for (let n = 0; n < 20; n++) write(`lost${n}`, mebibyte);
        },
        { code: 'ENOSPC' },
      );
      // Now its tables can't be written either.
      spawnSync('sync', ['-f', at]);
      assert.throws(() => write('small'), { code: 'EROFS' });
      rmSync(join(images, 'ballast'));
      const held = openSync(join(at, 'home', 'before'), 'r');
      await all.fit(id, size);
      assert.throws(() => write('small'), { code: 'EROFS' });
      closeSync(held);
      await all.fit(id, size);
      write('after', 5 * mebibyte);
      assert.equal(readFileSync(join(at, 'home', 'before')).length, 100);
      await all.remove(id);
    } finally {
      spawnSync('umount', [at]);
      execFileSync('umount', [images]);
    }
  });

  test('is mounted without setuid programs and devices, and the bot sees its home only', async () => {
    const all = await made();
    const mount = execFileSync('findmnt', ['-n', '-o', 'OPTIONS', at]).toString();
    assert.match(mount, /nosuid,nodev/);
    assert.deepEqual(
      [at, `${at}/staging`, `${at}/restoring`].map((path) => statSync(path).mode & 0o777),
      [0o711, 0o700, 0o700],
    );
    assert.equal(all.path(id, 'home'), join(at, 'home'));
    await all.remove(id);
  });

  test('gets larger and smaller with the limit; not while somebody uses it', async () => {
    const all = await made();
    writeFileSync(join(at, 'home', 'kept'), 'kept');
    const limit = () => {
      const { blocks, bfree, bavail, bsize } = statfsSync(at);
      return Math.round(((bavail + blocks - bfree) * bsize) / mebibyte);
    };
    assert.equal(limit(), 24);
    const held = openSync(join(at, 'home', 'kept'), 'r');
    const larger = { limitBytes: 300 * mebibyte, files: 20_000 };
    await all.fit(id, larger);
    assert.ok(limit() < 200);
    closeSync(held);
    await all.fit(id, larger);
    assert.equal(limit(), 300);
    await all.fit(id, { ...larger, limitBytes: 100 * mebibyte });
    assert.ok(limit() >= 100 && limit() < 300, 'at most half of a file system can be reserved; the rest is counted');
    assert.ok(existsSync(join(at, 'home', 'kept')));
    await all.fit(id, larger);
    assert.equal(writeAsBot('data', 290 * mebibyte).full, false);
    await all.remove(id);
  });

  test('a process that begins takes over what is mounted, mounts what is not, and clears what was being made', async () => {
    await made();
    writeFileSync(join(at, 'home', 'kept'), 'kept');
    const adopted = begin();
    assert.deepEqual(await adopted.recover(), { mounted: [id], failures: [] });
    execFileSync('umount', [at]);
    assert.deepEqual(await begin().recover(), { mounted: [id], failures: [] });
    assert.ok(existsSync(join(at, 'home', 'kept')));
    execFileSync('umount', [at]);
    await adopted.mount(id);
    assert.ok(existsSync(join(at, 'home', 'kept')), 'unmounted by hand');
    assert.deepEqual(await adopted.leave(new Set([id])), []);
    assert.ok(existsSync(join(at, 'home', 'kept')), 'its bot goes on');
    const held = openSync(join(at, 'home', 'kept'), 'r');
    assert.equal((await adopted.leave(new Set())).length, 1, 'something is open');
    closeSync(held);
    assert.deepEqual(await adopted.leave(new Set()), []);
    assert.deepEqual([readdirSync(at), execFileSync('losetup', ['--list']).includes(id)], [[], false]);
    await adopted.mount(id);
    // Killed before the image had its final name.
    renameSync(image, join(images, `${id}.new`));
    const next = begin();
    assert.deepEqual(await next.recover(), { mounted: [], failures: [] });
    assert.deepEqual([readdirSync(homes), readdirSync(images), next.has(id)], [[], [], false]);
    // An invalid image: the others are mounted all the same.
    writeFileSync(image, 'no file system');
    assert.equal((await begin().recover()).failures.length, 1);
    rmSync(image);
  });
});
