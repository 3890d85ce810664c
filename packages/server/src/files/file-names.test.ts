// Whatever name is accepted comes back as it was, whichever way the file takes: written, listed, read, moved, copied,
// downloaded, uploaded.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeTar } from './archive-maker.ts';
import { limitOf, makeFiles, treeOf } from './files-fixture.ts';

const disk = limitOf(1_000_000);

/** Any text, and names of characters that mean something somewhere. */
const anyName = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.string({ unit: fc.constantFrom(...'ab./\\:%"\'\n\r\t #?*&;$~-_é😀'), minLength: 1, maxLength: 12 }),
);

/** Names that a system with `\` and drives would read as a way out; zip files are made for those too. */
const leadsOut = (name: string) => /^[A-Za-z]:|^\\/.test(name) || name.split(/[\\/]/).includes('..');

test('every accepted name comes back as it was', async (t) => {
  const { files, bot, home } = makeFiles(t);
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(anyName, async (path) => {
      const content = () => Readable.from([Buffer.from(path)]);
      try {
        await files.write(bot, { path: `in/${path}`, body: content(), limit: disk });
      } catch (error) {
        assert.equal((error as { field: string }).field, 'path');
        return;
      }
      accepted++;
      const parts = path.split('/');
      const above = ['in', ...parts.slice(0, -1)].join('/');
      const { entries } = await files.list(bot, above, { limit: 1000, cursor: null });
      assert.deepEqual(
        entries.map((entry) => [entry.name, entry.type]),
        [[parts.at(-1), 'file']],
      );
      const expectedIn = async (folder: string) =>
        assert.equal((await buffer((await files.read(bot, `${folder}/${path}`)).stream)).toString(), path);
      await expectedIn('in');
      await files.copy(bot, { from: `in/${path}`, to: `copied/${path}`, disk });
      await expectedIn('copied');
      await files.move(bot, `in/${path}`, `moved/${path}`);
      await expectedIn('moved');

      const zip = await buffer((await files.zip(bot, 'moved')) ?? assert.fail('no folder'));
      const tar = makeTar([{ name: path, content: path }]);
      const common = { overwrite: true, mirror: false, limit: disk, disk };
      await files.upload(bot, { ...common, path: 'zip', format: 'zip', body: Readable.from([zip]) });
      if (!leadsOut(path)) await expectedIn('zip');
      await files.upload(bot, { ...common, path: 'tar', format: 'tar', body: Readable.from([tar]) });
      await expectedIn('tar');
      await files.compress(bot, { paths: ['moved'], to: 'packed.tar.gz', disk });
      await files.extract(bot, { path: 'packed.tar.gz', to: 'packed', overwrite: false, disk });
      await expectedIn('packed/moved');
      const made = (await files.list(bot, '', { limit: 100, cursor: null })).entries.map((entry) => entry.name);
      await files.delete(bot, made);
      assert.deepEqual(treeOf(home), {});
    }),
    { numRuns: 20 },
  );
  assert.ok(accepted > 3, `only ${accepted} names were accepted`);
});
