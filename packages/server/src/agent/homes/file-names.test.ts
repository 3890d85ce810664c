// Every accepted name comes back unchanged, whichever way the file takes: written, listed, read,
// moved, copied, downloaded, uploaded.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { fail } from '../../core/domain/errors.ts';
import { makeTar } from '../../../test/support/archive-maker.ts';
import { limitOf, makeFiles, treeOf } from '../../../test/support/files-fixture.ts';

const disk = limitOf(1_000_000);

/** A lone surrogate: no name can contain it, as it has no UTF-8 encoding. */
const half = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit));

/** Any text, text with lone surrogates, and names of special characters. */
const anyName = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
  fc.string({
    unit: fc.oneof({ weight: 9, arbitrary: fc.constantFrom('a', '/', 'é') }, half),
    minLength: 1,
    maxLength: 12,
  }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'ab./\\:%"\'\n\r\t #?*&;$~-_é😀'), minLength: 1, maxLength: 12 }),
);

/**
 * Names that a system with `\` and drives would read as a way out; zip files must suit those too.
 */
const leadsOut = (name: string) => /^[A-Za-z]:|^\\/.test(name) || name.split(/[\\/]/).includes('..');

test('every accepted name comes back as it was', async (t) => {
  const { files, homes, bot, home } = makeFiles(t);
  await homes.prepare(bot);
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(anyName, async (path) => {
      const content = () => Readable.from([Buffer.from(path)]);
      try {
        await files.write(bot, { path: `in/${path}`, body: content(), limit: disk });
      } catch (error) {
        assert.equal((error as { field: string }).field, 'path');
        assert.deepEqual(treeOf(home), {});
        return;
      }
      assert.ok(path.isWellFormed());
      accepted++;
      const parts = path.split('/');
      const above = ['in', ...parts.slice(0, -1)].join('/');
      const { entries } = await files.reader.list(bot, above, { limit: 1000, cursor: null });
      assert.deepEqual(
        entries.map((entry) => [entry.name, entry.type]),
        [[parts.at(-1), 'file']],
      );
      const expectedIn = async (folder: string) =>
        assert.equal((await buffer((await files.reader.read(bot, `${folder}/${path}`)).stream)).toString(), path);
      await expectedIn('in');
      await files.copy(bot, { from: `in/${path}`, to: `copied/${path}`, disk });
      await expectedIn('copied');
      await files.move(bot, `in/${path}`, `moved/${path}`);
      await expectedIn('moved');

      const zip = await buffer((await files.reader.zip(bot, 'moved')) ?? assert.fail('no folder'));
      const tar = makeTar([{ name: path, content: path }]);
      const common = { overwrite: true, mirror: false, limit: disk, disk };
      await files.upload(bot, { ...common, path: 'zip', format: 'zip', body: Readable.from([zip]) });
      if (!leadsOut(path)) await expectedIn('zip');
      await files.upload(bot, { ...common, path: 'tar', format: 'tar', body: Readable.from([tar]) });
      await expectedIn('tar');
      await files.compress(bot, { paths: ['moved'], to: 'packed.tar.gz', disk });
      await files.extract(bot, { path: 'packed.tar.gz', to: 'packed', overwrite: false, disk });
      await expectedIn('packed/moved');
      const made = (await files.reader.list(bot, '', { limit: 100, cursor: null })).entries.map((entry) => entry.name);
      await files.delete(bot, made);
      assert.deepEqual(treeOf(home), {});
    }),
    { numRuns: 20, examples: [['\ud800'], ['a\udfff'], ['\udc00\ud800'], ['\u{1f916}']] },
  );
  assert.ok(accepted > 3, `only ${accepted} names were accepted`);
});

test('a name of the bot that is no text is listed and can not be named; it goes with the folder that it is in', async (t) => {
  const { files, bot, home } = makeFiles(t);
  await files.makeFolder(bot, 'in');
  const bytes = Buffer.from([0x63, 0x61, 0x66, 0xe9]);
  writeFileSync(Buffer.concat([Buffer.from(`${home}/in/`), bytes]), 'latin');
  const list = async (path: string) =>
    (await files.reader.list(bot, path, { limit: 10, cursor: null })).entries.map(({ name }) => name);
  assert.deepEqual(await list('in'), ['caf\uFFFD']);
  for (const path of ['in/caf\uFFFD', 'in/caf\udce9'])
    await assert.rejects(files.reader.read(bot, path), fail.invalidInput('path', 'is not valid'));
  await assert.rejects(files.reader.read(bot, 'in/café'), fail.fileNotFound());
  await files.copy(bot, { from: 'in', to: 'copied', disk });
  await files.move(bot, 'in', 'moved');
  for (const folder of ['copied', 'moved'])
    assert.deepEqual(readdirSync(join(home, folder), { encoding: 'buffer' }), [bytes]);
  await files.delete(bot, ['copied', 'moved']);
  assert.deepEqual(readdirSync(home), []);
});
