// Folders and archives as the files of a new bot.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import type { Drop } from '../files/drop-filter.ts';
import { formatOf, takeOwn } from './own-files.ts';

const dropOf = (files: Record<string, string>): Drop => ({
  files: Object.entries(files).map(([path, text]) => ({ path, file: new File([text], path) })),
  skipped: new Map(),
});

const zipOf = (files: Record<string, string>, name = 'project.zip'): Drop => {
  const packed = zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])));
  return { files: [{ path: name, file: new File([new Uint8Array(packed)], name) }], skipped: new Map() };
};

const project = {
  'ping/package.json': '{"main":"bot.js"}',
  'ping/bot.js': 'say()',
  'ping/.env': 'TOKEN=abc',
  'ping/squarecloud.app': 'DISPLAY_NAME=Ping Pong\nMEMORY=512\nMAIN=bot.js\nSTART=node --enable-source-maps bot.js',
};

async function sentBy(drop: Drop): Promise<[string, string][]> {
  const { body, extract } = (await (await takeOwn(drop))?.pack()) ?? {};
  assert.equal(extract, 'zip');
  const unpacked = unzipSync(new Uint8Array((await body?.arrayBuffer()) ?? []));
  return Object.entries(unpacked).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]);
}

for (const [kind, drop] of [
  ['folder', dropOf(project)],
  ['zip', zipOf({ ...project, 'ping/node_modules/a.js': 'x' })],
] as const)
  test(`a ${kind} is shown without its top, its .env becomes variables, and its settings are read`, async () => {
    const own = await takeOwn(drop);
    assert.ok(own);
    assert.deepEqual(own.files.map(({ path }) => path).toSorted(), ['bot.js', 'package.json', 'squarecloud.app']);
    assert.deepEqual([own.folder, own.dotEnv, own.archive], ['ping', 'TOKEN=abc', null]);
    assert.deepEqual([own.config?.name, own.config?.memoryMb], ['Ping Pong', 512]);
    assert.deepEqual([own.guess?.command, own.guess?.because], ['node --enable-source-maps bot.js', 'squarecloud.app']);
    assert.deepEqual(
      (await sentBy(drop)).find(([path]) => path === 'bot.js'),
      ['bot.js', 'say()'],
    );
    assert.deepEqual([...own.skipped.keys()], kind === 'zip' ? ['node_modules'] : []);
  });

test('an archive that can’t be looked into is passed on as it is', async () => {
  for (const name of ['a.tar.gz', 'broken.zip']) {
    const file = new File(['bytes'], name);
    const own = await takeOwn({ files: [{ path: name, file }], skipped: new Map() });
    assert.deepEqual([own?.files, own?.archive?.name], [[], name]);
    assert.equal((await own?.pack())?.body, file);
  }
  assert.equal(await takeOwn(dropOf({})), null);
});

test('kinds of archives', () => {
  assert.deepEqual(['a.zip', 'a.TGZ', 'a.tar.gz', 'a.tar', 'a.js'].map(formatOf), [
    'zip',
    'tar.gz',
    'tar.gz',
    'tar',
    null,
  ]);
});
