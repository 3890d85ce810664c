// Bots of another user: every route that names a bot answers as if it did not exist, to an admin
// too, and changes nothing.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { routes } from '../support/all-routes.ts';
import { goodBot, startFixture } from '../support/fixture.ts';
import { nothing } from './builders.ts';
import { botNotFound, type Answer, send } from './request.ts';
import { rightRequest, thingsOf } from './valid-inputs.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger } = fixture;

const botRoutes = routes
  .map(({ declaration }) => declaration)
  .filter((declaration) => thingsOf(declaration)[0] === 'bot');

/** Calls the route for the bot `id`, as `who`, with everything else right. */
function call(who: typeof client, declaration: (typeof botRoutes)[number], id: string): Promise<Answer> {
  const { line, body, headers } = rightRequest(declaration, { ...nothing, bot: id });
  return send(who, line, body, headers);
}

describe('404', () => {
  test('the same answer as for a bot that never was, for every route; the bot stays as it is', async () => {
    assert.ok(botRoutes.length >= 6, 'the route table has routes of bots');
    for (const [owner, other] of [
      [client, stranger],
      [stranger, client],
    ] as const) {
      const { id } = await owner.createBot({ ...goodBot, memory: 128 });
      await owner.lifecycle('start', id);
      await fixture.server.settle();
      const before = await owner.bot(id);
      assert.equal(before.status, 'online');
      for (const route of botRoutes) {
        const what = `${route.method} ${route.url}`;
        const foreign = await call(other, route, id);
        const unknown = await call(other, route, '00000000-0000-4000-8000-000000000000');
        for (const answer of [foreign, unknown]) {
          assert.deepEqual(answer.body, { success: false, error: botNotFound.error }, what);
          assert.equal(answer.status, 404, what);
          assert.equal(answer.headers.get('X-Error-Code'), 'bot_not_found', what);
        }
      }
      await fixture.server.settle();
      const after = await owner.bot(id);
      // What changes by itself while a bot runs.
      const moving = { observed_at: null, uptime_seconds: null, usage: null, disk: null };
      assert.deepEqual({ ...after, ...moving }, { ...before, ...moving });
    }
  });

  test('nor are they in the list and the usage of the other', async () => {
    const { id } = await client.createBot({ ...goodBot, memory: 128 });
    assert.equal(
      (await stranger.bots()).some((bot) => bot.id === id),
      false,
    );
    const before = await stranger.usage();
    await client.deleteBot(id);
    assert.deepEqual(await stranger.usage(), before);
  });
});
