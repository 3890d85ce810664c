// Bots of another user: every route that names a bot answers as if it did not exist, to an admin too, and changes nothing.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { routes } from '../../src/http/routes/routes.ts';
import { goodBot, startFixture } from '../fixture.ts';
import { botNotFound, type Answer, send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger } = fixture;

/** What a route needs besides the bot's id to be right in every field. */
const restOfQuery: Record<string, string> = {
  'GET /bots/:id/wait': '?status=offline',
  'GET /bots/:id/metrics': '?range=1h',
  'GET /bots/:id/files/content': '?path=index.js',
  'GET /bots/:id/files/download': '?path=index.js',
  'PUT /bots/:id/files/content': '?path=index.js',
  'POST /bots/:id/files/upload': '?path=index.js',
};
const restOfBody: Record<string, object> = {
  'POST /bots/:id/files/delete': { paths: ['index.js'] },
  'POST /bots/:id/files/mkdir': { path: 'folder' },
  'POST /bots/:id/files/move': { from: 'index.js', to: 'moved.js' },
  'POST /bots/:id/files/copy': { from: 'index.js', to: 'copied.js' },
  'POST /bots/:id/files/compress': { paths: ['index.js'], to: 'all.zip' },
  'POST /bots/:id/files/extract': { path: 'all.zip' },
  'POST /bots/:id/files/template': { template_id: 'nodejs' },
  'PUT /bots/:id/env': { environment: { A: '1' } },
  'POST /bots/:id/backups': { name: 'taken' },
  'POST /bots/:id/schedules': { name: 'taken', cron: '* * * * *', action: 'kill' },
  'POST /bots/env/set': { set: { A: '1' } },
  'POST /bots/input': { text: 'x' },
  'POST /bots/update': { name: 'taken-over' },
};

const botRoutes = routes
  .map(({ declaration }) => declaration)
  .filter(({ url, body }) => url.startsWith('/bots/:id') || (url.startsWith('/bots/') && hasField(body, 'bot_id')));

function hasField(body: unknown, field: string): boolean {
  return typeof body === 'object' && body !== null && 'shape' in body && field in (body.shape as object);
}

/** Calls the route for the bot `id`, as `who`, with everything else right. */
function call(who: typeof client, { method, url, bodyKind }: (typeof botRoutes)[number], id: string): Promise<Answer> {
  const key = `${method} ${url}`;
  const line = `${method} ${url.replace(':id', id)}${restOfQuery[key] ?? ''}`;
  if (method === 'GET') return send(who, line);
  if (bodyKind === 'raw') return send(who, line, 'text', { 'Content-Type': 'application/octet-stream' });
  return send(who, line, { ...restOfBody[key], ...(url.includes(':id') ? {} : { bot_id: id, force: true }) });
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
