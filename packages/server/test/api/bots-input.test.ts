// POST /bots/input and the setting `stdin` by status; what reaches the program, in which order, and
// what never does.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { BotData } from '@botel/contract/bots';
import { goodBot, startFixture } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { inDatabase } from './database.ts';
import { assertRefused, botNotFound, invalidInput, send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger, machine } = fixture;

const notOnline = { status: 409, code: 'bot_not_online', error: 'Bot must be online' } as const;
const closed = {
  status: 409,
  code: 'stdin_closed',
  error: 'Bot runs without stdin: turn it on, then restart the bot',
} as const;

/** A bot of the command, with stdin, online unless told otherwise. */
async function bot({ command = 'node bot.js', online = true } = {}): Promise<string> {
  const { id } = await client.createBot({ ...goodBot, memory: 128, startup_command: command });
  await client.call('POST', '/bots/update', { bot_id: id, stdin: true });
  if (online) await run(id, 'start');
  return id;
}

async function run(id: string, verb: 'start' | 'restart'): Promise<void> {
  await client.lifecycle(verb, id);
  await fixture.server.settle();
  await until(async () => (await client.bot(id)).status === 'online');
}

function input(id: string, text: unknown) {
  return send<{ bytes: number }>(client, 'POST /bots/input', { bot_id: id, text });
}

/** All that the bot's present program was given. */
function given(id: string): string | undefined {
  return machine.containers().find((container) => container.botId === id)?.stdin;
}

describe('200', () => {
  test('the text arrives as it is, with its bytes counted', async () => {
    const id = await bot();
    for (const [text, bytes] of [
      ['say hello\n', 10],
      ['no end of line', 14],
      ['é\r\n\t\0🙂', 10],
      ['x'.repeat(4096), 4096],
    ] as const) {
      const before = given(id);
      const answer = await input(id, text);
      assert.deepEqual([answer.status, answer.body], [200, { success: true, data: { bytes } }]);
      assert.equal(given(id), before + text);
    }
    await client.deleteBot(id, true);
  });

  test('texts of one bot keep their order, and nothing of them is left or readable', async () => {
    const id = await bot({ command: 'echo' });
    const texts = Array.from({ length: 20 }, (_, index) => `canary-of-stdin ${index}\n`);
    const answers = await Promise.all(texts.map((text) => input(id, text)));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(given(id), texts.join(''));
    await inDatabase(fixture, async (db) =>
      assert.deepEqual(await db.selectFrom('inputs').selectAll().where('bot_id', '=', id).execute(), []),
    );
    const events = JSON.stringify((await client.call('GET', `/bots/${id}/events`)).data);
    assert.ok(events.includes('stdin') && !events.includes('canary-of-stdin'));
    // The program's answers in the log are its own.
    for (const name of ['botel.sqlite', 'botel.sqlite-wal']) {
      const sent = 'canary-of-stdin 7';
      const text = readFileSync(join(fixture.directory, name)).toString('latin1');
      assert.equal(text.replaceAll(`got ${sent}`, '').includes(sent), false, name);
    }
    await client.deleteBot(id, true);
  });

  test('the setting is shown, and a running bot has it after its next start', async () => {
    const { id } = await client.createBot({ ...goodBot, memory: 128 });
    assert.equal((await client.bot(id)).stdin, false);
    await run(id, 'start');
    const { data } = await client.call<BotData>('POST', '/bots/update', { bot_id: id, stdin: true });
    assert.deepEqual([data.stdin, data.needs_restart], [true, true]);
    assertRefused(await input(id, 'x'), closed);
    await run(id, 'restart');
    assert.equal((await client.bot(id)).needs_restart, false);
    assert.equal((await input(id, 'now\n')).status, 200);
    assert.equal(given(id), 'now\n');

    await client.call('POST', '/bots/update', { bot_id: id, stdin: false });
    assert.equal((await client.bot(id)).needs_restart, true);
    assert.equal((await input(id, 'still\n')).status, 200);
    await run(id, 'restart');
    assertRefused(await input(id, 'x'), closed);
    await client.deleteBot(id, true);
  });
});

test('400', async () => {
  const id = await bot({ online: false });
  assertRefused(await input(id, undefined), invalidInput('text', 'is required'));
  assertRefused(await input(id, 5), invalidInput('text', 'must be a string'));
  for (const text of ['', 'x'.repeat(4097), 'é'.repeat(2049)]) {
    assertRefused(await input(id, text), invalidInput('text', 'must be between 1 and 4096 bytes'));
  }
  assertRefused(await input(id, '\ud800'), invalidInput('text', 'is not valid'));
  assertRefused(await input('x', 'x'), invalidInput('bot_id', 'must be a UUID'));
  const update = await send(client, 'POST /bots/update', { bot_id: id, stdin: 'yes' });
  assertRefused(update, invalidInput('stdin', 'must be true or false'));
  await client.deleteBot(id);
});

test('404: unknown and foreign bots', async () => {
  const id = await bot();
  for (const [who, target] of [
    [client, '00000000-0000-4000-8000-000000000000'],
    [stranger, id],
  ] as const) {
    assertRefused(await send(who, 'POST /bots/input', { bot_id: target, text: 'x' }), botNotFound);
  }
  assert.equal(given(id), '');
  await client.deleteBot(id, true);
});

describe('409', () => {
  test('a bot that is not online', async () => {
    const id = await bot({ command: 'deaf', online: false });
    assertRefused(await input(id, 'x'), notOnline);
    await run(id, 'start');
    await client.lifecycle('stop', id);
    assertRefused(await input(id, 'x'), notOnline);
    await client.lifecycle('kill', id);
    await fixture.server.settle();
    assertRefused(await input(id, 'x'), notOnline);
    await client.deleteBot(id, true);
  });

  test('a program that does not read', async () => {
    const id = await bot({ command: 'numb' });
    const full = { status: 409, code: 'stdin_full', error: 'Bot does not read its stdin' } as const;
    for (let count = 0; count < 3; count++) assertRefused(await input(id, 'x'), full);
    assert.equal((await client.bot(id)).status, 'online');
    await client.deleteBot(id, true);
  });
});

test('503 when the engine is away; the text never arrives afterwards', async () => {
  const id = await bot();
  machine.stopEngine();
  const answer = await input(id, 'lost\n');
  machine.startEngine({ liveRestore: true });
  assertRefused(answer, { status: 503, code: 'engine_unavailable', error: 'The container engine is not available' });
  await until(async () => (await input(id, 'next\n')).status === 200);
  assert.equal(given(id), 'next\n');
  await client.deleteBot(id, true);
});
