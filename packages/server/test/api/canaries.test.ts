// Secrets that would be seen: values of variables, passwords, tokens, inputs and signatures that
// stand nowhere else. After a day of a bot, with every kind of refusal and a fault of the server,
// none is in an answer that is not for it, in the log, in a file, or in what the process tells of
// itself.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { BotelClient } from '@botel/contract/client';
import { checkoutPath } from '../../src/core/lib/checkout.ts';
import { goodBot } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { noRates } from '../support/no-rates.ts';

const canary = (name: string) => `canary-${name}-${randomBytes(12).toString('hex')}`;
const secrets: Record<string, string> = {
  value: canary('value'),
  'refused value': canary('refused'),
  'set value': canary('set'),
  password: canary('password'),
  'wrong password': canary('wrong'),
  input: canary('input'),
  'token of nobody': `sess_${canary('token')}`,
};

const directory = mkdtempSync(join(tmpdir(), 'botel-canaries-'));
const child = spawn(process.execPath, [checkoutPath('packages/server/src/main.ts'), 'serve'], {
  env: {
    PATH: process.env.PATH ?? '',
    BOTEL_PORT: '0',
    BOTEL_DATA_DIR: directory,
    BOTEL_ENGINE: 'fake',
    BOTEL_LOG_LEVEL: 'debug',
    BOTEL_REGISTRATION: 'open',
    ...noRates,
  },
});
let printed = '';
for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text));
after(async () => {
  if (child.exitCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  rmSync(directory, { recursive: true, force: true });
});

const url = await until(async () => /^Botel listens on (\S+)$/m.exec(printed)?.[1] ?? null, 60_000);
const setupToken = await until(async () => /"token":"([^"]+)"/.exec(printed)?.[1] ?? null);
const answers: { line: string; text: string }[] = [];

/** Sends and keeps the whole answer; `holds`: secrets that this answer is made for. */
async function ask(who: BotelClient, line: string, init: RequestInit = {}, holds: string[] = []): Promise<Response> {
  const [method = '', path = ''] = line.split(' ');
  const answer = await who.fetch(method, path, init);
  const text = `${JSON.stringify([...answer.headers])} ${await answer.clone().text()}`;
  answers.push({
    line: `${line}: ${answer.status}`,
    text: holds.reduce((rest, secret) => rest.replaceAll(secret, ''), text),
  });
  return answer;
}

const json = (body: unknown) => ({
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers: { 'Content-Type': 'application/json' },
});

function assertNowhere(text: string, where: string): void {
  for (const [name, secret] of Object.entries(secrets))
    for (const form of [secret, Buffer.from(secret).toString('base64').slice(0, 28), encodeURIComponent(secret)])
      assert.equal(text.includes(form), false, `${name} is in ${where}`);
}

/** Everything that an owner does in a day, and everything that goes wrong. */
async function liveADay(): Promise<void> {
  const guest = new BotelClient(url);
  const { password = '', value = '', input = '' } = secrets;
  const email = 'owner@example.com';
  const signedUp = await guest.fetch('POST', '/setup', json({ token: setupToken, email, password }));
  assert.equal(signedUp.status, 201);
  const owner = new BotelClient(url);
  secrets.token = (await owner.login(email, password)).token;
  const { id } = await owner.createBot({ ...goodBot, environment: { SECRET: value } });
  await ask(owner, `GET /bots/${id}`);
  const own = await (await ask(owner, `GET /bots/${id}/env`, {}, [value])).text();
  assert.throws(() => assertNowhere(own, 'the answer that is for it'), 'what is there is found');
  const set = { bot_id: id, set: { MORE: secrets['set value'] } };
  await ask(owner, 'POST /bots/env/set', json(set), [value, secrets['set value'] ?? '']);
  await owner.call('POST', '/bots/update', { bot_id: id, stdin: true });
  await owner.lifecycle('start', id);
  await until(async () => (await owner.bot(id)).status === 'online');
  assert.equal((await ask(owner, 'POST /bots/input', json({ bot_id: id, text: input }))).status, 200);
  const made = await ask(owner, `POST /bots/${id}/backups`, json({ name: 'daily' }));
  const { data } = (await made.json()) as { data: { id: string; download_url: string } };
  secrets.signature = /signature=([^&]+)/.exec(data.download_url)?.[1] ?? '';
  answers.pop();
  assert.equal((await fetch(new URL(data.download_url, url))).status, 200);
  await owner.lifecycle('stop', id);
  await until(async () => (await owner.bot(id)).status === 'offline');
  assert.equal((await ask(owner, 'POST /backups/restore', json({ backup_id: data.id }))).status, 200);
  await until(async () => (await owner.bot(id)).phase !== 'restoring');
  await refuseAll(owner, guest, id);
  const lists = [
    '/bots',
    '/events',
    '/usage',
    '/auth/me',
    '/ready',
    '/health',
    `/bots/${id}/logs`,
    `/bots/${id}/events`,
  ];
  for (const path of [...lists, `/bots/${id}/stats`, `/bots/${id}/logs/download`]) await ask(owner, `GET ${path}`);
}

/** Refusals by input that holds secrets; last a fault of the server while it stores one. */
async function refuseAll(owner: BotelClient, guest: BotelClient, id: string): Promise<void> {
  const refused = secrets['refused value'] ?? '';
  const wrong = secrets['wrong password'] ?? '';
  const nobody = new BotelClient(url, secrets['token of nobody']);
  const statuses: number[] = [];
  for (const [who, line, init] of [
    [guest, 'POST /auth/login', json({ email: 'owner@example.com', password: wrong })],
    [guest, 'POST /auth/register', json({ email: 'owner@example.com', password: wrong })],
    [guest, 'POST /auth/register', json({ email: 'x', password: wrong })],
    [guest, 'POST /auth/register', json({ email: 'new@example.com', password: [wrong] })],
    [guest, 'POST /setup', json({ token: refused, email: 'x@example.com', password: wrong })],
    [guest, 'POST /auth/login', json(`{"password":"${wrong}"`)],
    [nobody, 'GET /bots', {}],
    [owner, `PUT /bots/${id}/env`, json({ environment: { 'A=B': refused } })],
    [owner, `PUT /bots/${id}/env`, json({ environment: { A: `${refused}\u0000` } })],
    [owner, `PUT /bots/${id}/env`, json({ environment: { A: refused.repeat(3000) } })],
    [owner, `PUT /bots/${id}/env`, json({ environment: { A: { nested: refused } } })],
    [owner, 'POST /bots/create', json({ ...goodBot, name: '!', environment: { A: refused } })],
    [owner, 'POST /bots/create', json({ ...goodBot, memory: 1e9, environment: { A: refused } })],
    [owner, 'POST /bots/input', json({ bot_id: id, text: secrets.input })],
    [owner, 'POST /bots/input', json({ bot_id: id, text: secrets.input?.repeat(200) })],
    [owner, `PUT /bots/${id}/env`, json(`{"environment":{"A":"${refused}"`)],
    [owner, 'POST /apps/create', json({ bot_id: id, name: refused })],
    [owner, 'POST /apps/create', json({ bot_id: id, name: 'an-app', health_path: refused })],
    [owner, 'POST /domains/create', json({ app_id: id, hostname: `${refused}.localhost` })],
    [owner, `GET /nowhere?token=${secrets.token}`, {}],
  ] as const)
    statuses.push((await ask(who, line, init)).status);
  assert.ok(
    statuses.every((status) => status >= 400 && status < 500),
    statuses.join(),
  );
  const database = new DatabaseSync(join(directory, 'botel.sqlite'));
  database.exec('pragma busy_timeout = 5000; alter table bots rename to away');
  const broken = await ask(owner, `PUT /bots/${id}/env`, json({ environment: { A: refused } }));
  database.exec('alter table away rename to bots');
  database.close();
  assert.equal(broken.status, 500);
  await until(async () => printed.includes('request failed'));
}

test('secrets are nowhere but where they belong', { timeout: 180_000 }, async () => {
  await liveADay();
  for (const { line, text } of answers) assertNowhere(text, `the answer to ${line}`);
  assert.ok(answers.length > 25, 'answers were looked at');
  assertNowhere(printed, 'the log');
  for (const name of ['cmdline', 'environ'])
    assertNowhere(readFileSync(`/proc/${child.pid}/${name}`, 'latin1'), `/proc/<pid>/${name}`);
  // Before its end the database's newest part is in its write-ahead log.
  const looked: string[] = [];
  for (const path of globSync('**/*', { cwd: directory })) {
    const file = join(directory, path);
    if (!statSync(file).isFile()) continue;
    looked.push(path);
    const bytes = readFileSync(file);
    assertNowhere(bytes.toString('latin1'), path);
    if (path.endsWith('.gz')) assertNowhere(gunzipSync(bytes).toString('latin1'), `${path}, unpacked`);
  }
  for (const part of [/^botel\.sqlite$/, /^botel\.sqlite-wal$/, /\.tar\.gz$/])
    assert.ok(
      looked.some((path) => part.test(path)),
      `${part} was looked at`,
    );
});
