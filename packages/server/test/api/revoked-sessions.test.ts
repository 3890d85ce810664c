// A session that ended cuts off what it still does: streams with a last event, waits, uploads and
// downloads by their connection. What other sessions do goes on.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BotelClient } from '@botel/contract/client';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, server, url } = fixture;
const { id: userId } = await server.services.accounts.create('ends@example.com', 'a long password', 'user');
let botId = '';
let appId = '';

async function session(): Promise<BotelClient> {
  return new BotelClient(url, (await server.services.accounts.issueToken(userId)).token);
}

before(async () => {
  const owner = await session();
  botId = (await owner.createBot(goodBot)).id;
  const { data } = await owner.call<{ id: string }>('POST', '/apps/create', { bot_id: botId, name: 'greeter' });
  appId = data.id;
  // More than the buffers of both ends of a connection hold.
  await owner.writeFile(botId, 'large', new Uint8Array(64 * 1024 * 1024));
});

/** Things that go on for minutes; each resolves with how it ended. */
const under: Record<string, (who: BotelClient) => Promise<string>> = {
  'a log stream': async (who) => lastEvent(await who.fetch('GET', `/bots/${botId}/logs/stream`)),
  'a stream of requests to an app': async (who) => lastEvent(await who.fetch('GET', `/apps/${appId}/logs/stream`)),
  'a stream of events': async (who) => lastEvent(await who.fetch('GET', '/events/stream')),
  'a wait': (who) => cutOff(who.fetch('GET', `/bots/${botId}/wait?status=online&timeout=60`)),
  'an upload': (who) => cutOff(who.fetch('PUT', `/bots/${botId}/files/content?path=slow`, endlessBody())),
  'a download': async (who) => {
    const answer = await who.fetch('GET', `/bots/${botId}/files/download?path=large`);
    return cutOff(slowly(answer));
  },
};

async function lastEvent(answer: Response): Promise<string> {
  const text = await answer.text();
  return /event: end\ndata: (.*)/.exec(text)?.[1] ?? text;
}

function cutOff(work: Promise<Response | void>): Promise<string> {
  return work.then(
    (answer) => `answered ${answer ? answer.status : ''}`,
    () => 'cut off',
  );
}

/** One piece of the body each 200 ms: nobody who is served would be done before the test is
 * over. */
async function slowly(answer: Response): Promise<void> {
  const reader = answer.body!.getReader();
  while (!(await reader.read()).done) await new Promise((resolve) => setTimeout(resolve, 200));
}

let piecesSent = 0;
/** The client goes on to ask for pieces when nobody takes them any more. */
const over = new AbortController();
after(() => over.abort());

function endlessBody(): RequestInit {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (over.signal.aborted) return controller.close();
      controller.enqueue(new Uint8Array(1024));
      piecesSent++;
    },
  });
  return { body, duplex: 'half', headers: { 'Content-Type': 'application/octet-stream' } } as RequestInit;
}

const unauthorizedEnd = '{"reason":"unauthorized"}';

async function assertCut(end: (who: BotelClient) => Promise<unknown>): Promise<void> {
  const who = await session();
  piecesSent = 0;
  const works = Object.entries(under).map(async ([what, work]) => [what, await work(who)]);
  await until(async () => piecesSent > 5);
  // Who is answered now came after them.
  for (let n = 0; n < 10; n++) await who.call('GET', '/auth/me');
  await end(who);
  assert.deepEqual(Object.fromEntries(await Promise.all(works)), {
    'a log stream': unauthorizedEnd,
    'a stream of requests to an app': unauthorizedEnd,
    'a stream of events': unauthorizedEnd,
    'a wait': 'cut off',
    'an upload': 'cut off',
    'a download': 'cut off',
  });
}

describe('everything that a session still does ends', { timeout: 55_000 }, () => {
  test('with its logout; another session of the account goes on', async () => {
    const other = await session();
    const stream = await other.fetch('GET', '/events/stream');
    await assertCut((who) => who.call('POST', '/auth/logout'));
    const reader = stream.body!.getReader();
    assert.equal((await reader.read()).done, false);
    await reader.cancel();
    assert.equal((await other.call('GET', '/auth/me')).success, true);
  });

  test('with the removal of its session elsewhere', () =>
    assertCut(() => inDatabase(fixture, (db) => db.deleteFrom('sessions').where('user_id', '=', userId).execute())));

  test('with the suspension of the account', () =>
    assertCut(() =>
      inDatabase(fixture, (db) => db.updateTable('users').set({ suspended: 1 }).where('id', '=', userId).execute()),
    ));

  test('and nothing of an upload that was cut off is left', async () => {
    await inDatabase(fixture, (db) => db.updateTable('users').set({ suspended: 0 }).where('id', '=', userId).execute());
    const { data } = await (await session()).call<{ entries: { name: string }[] }>('GET', `/bots/${botId}/files`);
    assert.deepEqual(
      data.entries.map(({ name }) => name),
      ['large'],
    );
    assert.equal((await client.call('GET', '/auth/me')).success, true);
  });
});
