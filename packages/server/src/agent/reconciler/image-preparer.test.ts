// One preparation for all waiting bots, failures reported once and only to the affected bots, and
// which images are looked up again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bot } from '../../core/domain/bot.ts';
import { type Runtime, runtimeName } from '../../core/domain/runtime.ts';
import { ImagePreparer } from './image-preparer.ts';
import { aBot } from '../../../test/support/sample-bot.ts';

/** An engine whose preparations end on the test's command. */
function stage() {
  const images = new Map<string, string>();
  const under = new Map<string, PromiseWithResolvers<string>>();
  const looks: string[] = [];
  const lines: string[] = [];
  const preparer = new ImagePreparer(
    {
      async findImage(runtime: Runtime) {
        looks.push(runtimeName(runtime));
        return images.get(runtimeName(runtime)) ?? null;
      },
      prepareImage(runtime: Runtime) {
        const work = Promise.withResolvers<string>();
        under.set(runtimeName(runtime), work);
        return work.promise;
      },
    },
    {
      async system(botId: string, run: number, text: string) {
        lines.push(`${botId} ${run} ${text}`);
      },
    },
  );
  const woken: string[] = [];
  preparer.onDone((botId) => woken.push(botId));
  return { preparer, images, under, looks, lines, woken };
}

function bot(id: string, packages: string[], run = 1): Bot {
  return aBot({ id, packages }, { run });
}

test('all who wait share one preparation, hear of it and are woken', async () => {
  const { preparer, under, lines, woken } = stage();
  for (const id of ['a', 'b', 'a']) assert.deepEqual(await preparer.ask(bot(id, ['jq'])), { state: 'preparing' });
  assert.deepEqual([...under.keys()], ['nodejs 24 with jq']);
  const text = 'Preparing the runtime nodejs 24 with jq (first use on this machine)';
  assert.deepEqual(lines, [`a 1 ${text}`, `b 1 ${text}`]);
  under.get('nodejs 24 with jq')?.resolve('image');
  await preparer.settled();
  assert.deepEqual(woken, ['a', 'b']);
});

test('a failure is told once to each who waited; then it is tried again', async () => {
  const { preparer, under } = stage();
  await preparer.ask(bot('a', []));
  under.get('nodejs 24')?.reject(new Error('no disk'));
  await preparer.settled();
  const message = 'The nodejs runtime could not be prepared: no disk';
  assert.deepEqual(await preparer.ask(bot('a', [])), { state: 'failed', message });
  assert.deepEqual(await preparer.ask(bot('a', [], 2)), { state: 'preparing' });
  under.get('nodejs 24')?.reject(new Error('no disk'));
  await preparer.settled();
  assert.deepEqual(await preparer.ask(bot('a', [], 3)), { state: 'preparing' }, 'the run that waited was given up');
});

test('who asks for other packages meanwhile hears nothing more of the first, its failure neither', async () => {
  for (const isFirstOver of [false, true]) {
    const { preparer, under, woken, images } = stage();
    images.set('nodejs 24 with jq', 'image');
    await preparer.ask(bot('a', ['sox']));
    if (!isFirstOver) await preparer.ask(bot('a', ['zip'], 2));
    under.get('nodejs 24 with sox')?.reject(new Error('gone'));
    if (isFirstOver) await preparer.settled();
    assert.deepEqual(await preparer.ask(bot('a', ['jq'], 3)), { state: 'ready', imageId: 'image' });
    // It begins after the first, which is of the same owner.
    await new Promise((resolve) => setImmediate(resolve));
    under.get('nodejs 24 with zip')?.resolve('other');
    await preparer.settled();
    assert.deepEqual(await preparer.ask(bot('a', ['sox'], 4)), { state: 'preparing' });
    assert.deepEqual(woken.includes('a'), true);
  }
});

test('images with packages are looked up each time, plain ones once', async () => {
  const { preparer, images, looks } = stage();
  images.set('nodejs 24', 'plain');
  images.set('nodejs 24 with jq', 'rich');
  for (let count = 0; count < 2; count++) {
    assert.deepEqual(await preparer.ask(bot('a', [])), { state: 'ready', imageId: 'plain' });
    assert.deepEqual(await preparer.ask(bot('a', ['jq'])), { state: 'ready', imageId: 'rich' });
  }
  assert.deepEqual(looks, ['nodejs 24', 'nodejs 24 with jq', 'nodejs 24 with jq']);
  preparer.forget(bot('a', []));
  await preparer.ask(bot('a', []));
  assert.equal(looks.length, 4);
});

test('images with packages are prepared one at a time per owner, so that others do not wait', async () => {
  const { preparer, under, woken } = stage();
  const ofOther = (id: string, packages: string[]) => aBot({ id, packages, ownerId: 'other' }, { run: 1 });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  for (const [id, name] of Object.entries({ a: 'sox', b: 'zip', c: 'jq' })) await preparer.ask(bot(id, [name]));
  await preparer.ask(ofOther('d', ['jq']));
  await turn();
  assert.deepEqual([...under.keys()], ['nodejs 24 with sox', 'nodejs 24 with jq'], 'jq is for the other owner');
  under.get('nodejs 24 with jq')?.resolve('image');
  await turn();
  assert.deepEqual(woken, ['d']);
  under.get('nodejs 24 with sox')?.resolve('image');
  await turn();
  under.get('nodejs 24 with zip')?.resolve('image');
  await turn();
  under.get('nodejs 24 with jq')?.resolve('image');
  await preparer.settled();
  assert.deepEqual(woken, ['d', 'a', 'b', 'c']);
});
