// Archives that are unpacked while they are received.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { makeTar, makeTarGz } from '../../../test/support/archive-maker.ts';
import { limitOf, makeFiles, treeOf } from '../../../test/support/files-fixture.ts';
import { until } from '../../../test/support/until.ts';

const makers = { tar: makeTar, 'tar.gz': makeTarGz };

for (const format of ['tar', 'tar.gz'] as const) {
  test(`${format}: is unpacked as it arrives; one that breaks off leaves nothing`, async (t) => {
    const { files, bot, home, staging } = makeFiles(t);
    // Random: compressible content would not leave the compressor before its end.
    const content = randomBytes(300_000).toString('latin1');
    const archive = makers[format](['first', 'second', 'third'].map((name) => ({ name, content })));
    let arrived: string[] = [];
    async function* broken() {
      yield archive.subarray(0, archive.length / 2);
      await until(() => 'first' in stagedOf(staging));
      arrived = Object.keys(stagedOf(staging));
      throw new Error('the sender went away');
    }
    const limits = { limit: limitOf(10_000_000), disk: limitOf(10_000_000) };
    const body = Readable.from(broken(), { objectMode: false });
    await assert.rejects(files.upload(bot, { path: '', overwrite: true, mirror: false, ...limits, format, body }));
    assert.ok(arrived.includes('first') && !arrived.includes('third'), `${arrived}`);
    assert.deepEqual(treeOf(home), {});
    assert.deepEqual(readdirSync(staging), []);
  });
}

/** The current content of the only stage. */
function stagedOf(staging: string): Record<string, string> {
  const [stage] = readdirSync(staging);
  return stage === undefined ? {} : treeOf(join(staging, stage, 'tree'));
}
