// What visitors notice when parts end: the gateway is killed, the control plane restarts, a bot
// restarts under load.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../../packages/server/test/support/until.ts';
import { waitForBot, waitOnline } from './bots.ts';
import { openWebAppFixture, startCaddy, startWebApp, webLanguages, type WebAppFixture } from './web-app-fixture.ts';
import { echo, get, http1, post, reader, type WayIn } from './web-client.ts';

let fixture: WebAppFixture;
let caddy: Awaited<ReturnType<typeof startCaddy>>;
let app: { botId: string; host: string };

before(async () => {
  fixture = await openWebAppFixture();
  caddy = await startCaddy(fixture);
  app = await startWebApp(fixture.server.client, 'patient');
});
after(async () => {
  await caddy?.[Symbol.asyncDispose]();
  await fixture?.[Symbol.asyncDispose]();
});

test('a gateway that is killed serves again at once after its start; at Caddy requests wait for it', async () => {
  assert.equal((await get(fixture.way, app.host, '/plain')).status, 200);
  await fixture.gateway.end('SIGKILL');
  await assert.rejects(get(fixture.way, app.host, '/plain'), { code: 'ECONNREFUSED' });
  const waiting = get(caddy.way, app.host, '/plain');
  await fixture.restartGateway();
  assert.equal((await get(fixture.way, app.host, '/plain')).status, 200);
  assert.equal((await waiting).status, 200);
});

test('streams and WebSockets go on while the control plane is killed and starts again', async () => {
  const ways: WayIn[] = [fixture.way, http1(caddy.port, caddy.ca)];
  using one = ways[0]!.open({ host: app.host, path: '/events' });
  using other = ways[1]!.open({ host: app.host, path: '/events' });
  const readers = await Promise.all([one, other].map(async ({ answer }) => reader((await answer).body)));
  for (const next of readers) await next('open');
  const sockets = await Promise.all(ways.map((way) => way.upgrade(app.host, '/ws')));
  for (const socket of sockets) await echo(socket, 'before');

  await fixture.server.kill('SIGKILL');
  assert.equal(await post(fixture.way, app.host, '/publish', 'while it is away'), '2');
  for (const next of readers) await next('while it is away');
  for (const socket of sockets) await echo(socket, 'while it is away');

  await fixture.server.restart();
  await waitForBot(fixture.server.client, app.botId, ({ status }) => status === 'online');
  assert.equal(await post(fixture.way, app.host, '/publish', 'afterwards'), '2');
  for (const next of readers) await next('afterwards');
  for (const socket of sockets) {
    await echo(socket, 'afterwards');
    socket.destroy();
  }
});

test('no stream is closed when routes change', async () => {
  const { client } = fixture.server;
  using exchange = fixture.way.open({ host: app.host, path: '/events' });
  const next = reader((await exchange.answer).body);
  await next('open');
  const { data: created } = await client.call<{ apps: { id: string; bot_id: string }[] }>('GET', '/apps');
  const id = created.apps.find(({ bot_id }) => bot_id === app.botId)?.id;
  await client.call('POST', '/apps/update', { app_id: id, name: 'renamed' });
  await until(async () => (await get(fixture.way, 'renamed.apps.localhost', '/plain')).status === 200);
  await until(async () => (await get(fixture.way, app.host, '/plain')).status === 404);
  await client.call('POST', '/apps/update', { app_id: id, name: 'patient' });
  await until(async () => (await get(fixture.way, app.host, '/plain')).status === 200);
  await post(fixture.way, app.host, '/publish', 'still here');
  await next('still here');
});

for (const language of webLanguages.filter((each) => each !== 'go')) {
  test(`no request fails while a bot in ${language} restarts under load`, async () => {
    const { client } = fixture.server;
    const { botId, host } = language === 'nodejs' ? app : await startWebApp(client, `restarted-${language}`, language);
    const before = (await client.bot(botId)).run ?? 0;
    let isOver = false;
    const failures: string[] = [];
    let answered = 0;
    const proxied = async (way: WayIn, path: string) => {
      while (!isOver) {
        try {
          const { status, text } = await get(way, host, path);
          if (status === 200) answered++;
          else failures.push(`${status} ${text}`);
        } catch (error) {
          failures.push((error as Error).message);
        }
      }
    };
    const visitors = [
      ...Array.from({ length: 6 }, () => proxied(fixture.way, '/plain')),
      proxied(caddy.way, '/plain'),
      proxied(fixture.way, '/down?bytes=1000000'),
    ];
    for (let restart = 1; restart <= 2; restart++) {
      const enough = answered + 50;
      await until(async () => answered >= enough || failures.length > 0);
      await client.lifecycle('restart', botId);
      await waitForBot(client, botId, ({ run, status }) => run === before + restart && status === 'online');
    }
    const enough = answered + 50;
    await until(async () => answered >= enough || failures.length > 0);
    isOver = true;
    await Promise.all(visitors);
    assert.deepEqual(failures, []);
  });
}

test('a request waits for a bot that is starting, and is told of one that is offline', async () => {
  const { client } = fixture.server;
  await client.lifecycle('stop', app.botId);
  await waitForBot(client, app.botId, ({ status }) => status === 'offline');
  await until(async () => (await get(fixture.way, app.host, '/plain')).status === 503);
  using exchange = fixture.way.open({ host: app.host, path: '/plain', headers: { Accept: 'text/html' } });
  const { status, headers, body } = await exchange.answer;
  assert.deepEqual([status, headers['x-error-code']], [503, 'bot_offline']);
  assert.match(Buffer.concat(await Array.fromAsync(body)).toString(), /<h1>/);
  await client.lifecycle('start', app.botId);
  // Once the gateway has heard of the start it answers nothing but what the bot says.
  const answer = await until(async () => {
    const { status, text } = await get(fixture.way, app.host, '/plain');
    return status === 503 && text.includes('does not run') ? null : { status, text };
  });
  assert.equal(answer.status, 200, answer.text);
  await waitOnline(client, app.botId);
});

test('a gateway that is told to end lets a request end first', async () => {
  using exchange = fixture.way.open({ host: app.host, path: '/echo', method: 'POST' });
  exchange.body.write('begun');
  const next = reader((await exchange.answer).body);
  await next('begun');
  const ended = fixture.gateway.end('SIGTERM');
  await until(async () =>
    get(fixture.way, app.host, '/plain').then(
      () => false,
      (error) => error.code === 'ECONNREFUSED',
    ),
  );
  exchange.body.end('and ended');
  await next('and ended');
  await ended;
  await fixture.restartGateway();
});
