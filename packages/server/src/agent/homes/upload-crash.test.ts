// Uploads in a process that is killed: the tree is the old or the new one, never a mixture.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { makeTarGz } from '../../../test/support/archive-maker.ts';
import { BotFiles } from './bot-files.ts';
import { limitOf, makeFiles, treeOf } from '../../../test/support/files-fixture.ts';

const rounds = 12;
const filesPerTree = 60;

/** A tree whose files all contain its version, with a folder that the next version lacks. */
function archiveOf(version: number): Buffer {
  const entries = Array.from({ length: filesPerTree }, (_, index) => ({
    name: `${index % 7}/${index}`,
    content: `${version}`,
  }));
  return makeTarGz([...entries, { name: `only-${version}/x`, content: `${version}` }]);
}

test('kill -9 at any moment of an upload leaves the old tree or the new one', async (t) => {
  const { directory, launcherSource, homes, bot, home, files, staging } = makeFiles(t);
  const archives = join(directory, 'archives');
  mkdirSync(archives);
  for (const version of [0, 1]) writeFileSync(join(archives, String(version)), archiveOf(version));
  const upload = {
    path: '',
    format: 'tar.gz',
    overwrite: true,
    mirror: true,
    limit: limitOf(1e6),
    disk: limitOf(1e6),
  } as const;
  await files.upload(bot, { ...upload, body: Readable.from([archiveOf(0)]) });
  const trees = [treeOf(home)];
  await files.upload(bot, { ...upload, body: Readable.from([archiveOf(1)]) });
  trees.push(treeOf(home));

  const script = `
    import { createReadStream } from 'node:fs';
    import { BotFiles } from ${JSON.stringify(new URL('./bot-files.ts', import.meta.url).href)};
    import { Homes } from ${JSON.stringify(new URL('./homes.ts', import.meta.url).href)};
    const [directory, launcherSource, bot, upload] = JSON.parse(process.argv[1]);
    const files = new BotFiles({ homes: new Homes({ directory, launcherSource }) });
    process.stdout.write('ready');
    for (let version = 0; ; version = 1 - version) {
      await files.upload(bot, { ...upload, body: createReadStream(directory + '/archives/' + version) });
    }`;
  let cutOff = 0;
  for (let round = 0; round < rounds; round++) {
    const argument = JSON.stringify([directory, launcherSource, bot, upload]);
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, argument], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    await once(child.stdout, 'data');
    // Any moment must do.
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 200));
    child.kill('SIGKILL');
    await ended;
    if (readdirSync(staging).length > 0) cutOff++;
    assert.deepEqual(await new BotFiles({ homes }).recover(), []);
    const found = trees.findIndex((tree) => JSON.stringify(tree) === JSON.stringify(treeOf(home)));
    assert.notEqual(found, -1, `round ${round}: ${JSON.stringify(treeOf(home))}`);
    assert.deepEqual(readdirSync(staging), []);
  }
  assert.ok(cutOff > 0, 'no round hit an upload');
});
