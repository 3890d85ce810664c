// The api and the agent as two processes over one folder: everything works over both, and each
// lives without the other.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import type { CheckupData, MachineHealthData } from '@botel/contract/admin';
import type { BotData } from '@botel/contract/bots';
import { BotelClient } from '@botel/contract/client';
import { checkoutPath } from '../../src/core/lib/checkout.ts';
import { agentRoutes } from '../../src/agent/routes/routes.ts';
import { routes } from '../support/all-routes.ts';
import { adminEmail, adminPassword, goodBot } from '../support/fixture.ts';
import { until } from '../support/until.ts';
import { apiUser, serveSplit } from '../support/split-server.ts';
import { assertRefused, type Refusal, send } from './request.ts';

const directory = mkdtempSync(join(tmpdir(), 'botel-halves-'));
const halves = await serveSplit({
  BOTEL_PORT: '0',
  BOTEL_DATA_DIR: directory,
  BOTEL_ENGINE: 'fake',
  BOTEL_ADMIN_EMAIL: adminEmail,
  BOTEL_ADMIN_PASSWORD: adminPassword,
  BOTEL_LOG_LEVEL: 'error',
});
after(async () => {
  await halves[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});
const client = new BotelClient(halves.api.url);
await client.login(adminEmail, adminPassword);

const agentAway: Refusal = { status: 503, code: 'not_ready', error: 'Not ready: agent' };

async function makeBot(command: string = goodBot.startup_command): Promise<string> {
  return (await client.createBot({ ...goodBot, startup_command: command })).id;
}

function untilBot(id: string, holds: (bot: BotData) => boolean): Promise<BotData> {
  return until(async () => {
    const bot = await client.bot(id);
    return holds(bot) && bot;
  }, 30_000);
}

async function texts(id: string): Promise<string[]> {
  const { data } = await client.call<{ lines: { seq: number; text: string }[] }>('GET', `/bots/${id}/logs?limit=1000`);
  assert.deepEqual(
    data.lines.map(({ seq }) => seq),
    data.lines.map((_, index) => index + 1),
    'no line is missing',
  );
  return data.lines.map(({ text }) => text);
}

function untilReady(): Promise<boolean> {
  return until(async () => (await client.fetch('GET', '/ready')).ok, 30_000);
}

describe('both halves', () => {
  test('a bot lives: its log is followed, it takes input and has numbers', async () => {
    await untilReady();
    const id = await makeBot('node echo');
    await client.call('POST', '/bots/update', { bot_id: id, stdin: true });
    const closing = new AbortController();
    const lines = client.logStream(id, 'tail=100', closing.signal);
    await client.lifecycle('start', id);
    const { data } = await client.call<{ reached: boolean }>(
      'GET',
      `/bots/${id}/wait?status=online&timeout_seconds=20`,
    );
    assert.equal(data.reached, true);
    assert.deepEqual((await client.call('POST', '/bots/input', { bot_id: id, text: 'hello\n' })).data, { bytes: 6 });
    for await (const { event, data: line } of lines)
      if (event === 'log' && JSON.stringify(line).includes('got hello')) break;
    closing.abort();
    await until(async () => (await client.bot(id)).usage !== null, 30_000);
    await client.lifecycle('stop', id);
    await untilBot(id, ({ status }) => status === 'offline');
    await client.deleteBot(id);
    assertRefused(await send(client, `GET /bots/${id}`), {
      status: 404,
      code: 'bot_not_found',
      error: 'Bot not found',
    });
    await until(async () => !existsSync(join(directory, 'homes', id)));
  });

  test('periodic tasks run in the agent and show in the api', async () => {
    const ran = async () => {
      const { tasks } = (await client.call<MachineHealthData>('GET', '/admin/health')).data;
      return tasks.some(({ last_run: run }) => run !== null) && tasks;
    };
    assert.ok((await until(ran, 30_000)).some(({ name }) => name === 'prune-runs'));
  });

  test('the doctor looks at the machine from the half that has it', async () => {
    const { findings } = (await client.call<CheckupData>('GET', '/admin/doctor')).data;
    const said = (check: string) => findings.filter((each) => each.check === check).map(({ text }) => text);
    assert.match(said('roles').join(), /^api \(process \d+, user \d+\) and agent \(process \d+, user 0\) run/);
    assert.ok(said('data').includes('the database is intact'));
  });

  test('files go through whole, in both directions and beside JSON', async () => {
    const id = await makeBot();
    const bytes = randomBytes(8 * 1024 * 1024);
    await client.writeFile(id, 'large', bytes);
    const got = await client.fetch('GET', `/bots/${id}/files/content?path=large`, { headers: { Range: 'bytes=1-' } });
    assert.equal(got.status, 206);
    assert.ok(bytes.subarray(1).equals(Buffer.from(await got.arrayBuffer())));
    await client.call('POST', `/bots/${id}/files/mkdir`, { path: 'a/b' });
    assert.deepEqual(readdirSync(join(directory, 'homes', id)).toSorted(), ['a', 'large']);
    // Many: the agent's answer may come while the end of the request is still written.
    for (let round = 0; round < 40; round++) {
      const odd = await send(client, `POST /bots/${id}/files/mkdir`, '{"path":');
      assertRefused(odd, { status: 400, code: 'invalid_json', error: 'Invalid JSON body' });
    }
    const head = await client.fetch('HEAD', `/bots/${id}/files/content?path=large`);
    assert.deepEqual([head.status, head.headers.get('Content-Length')], [200, String(bytes.length)]);
  });

  test('an upload that its client gives up leaves nothing', async () => {
    const id = await makeBot();
    const giveUp = new AbortController();
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(1024));
        if (readdirSync(join(directory, 'staging')).length > 0) giveUp.abort();
        return new Promise((resolve) => setImmediate(resolve));
      },
    });
    const path = `/bots/${id}/files/content?path=never`;
    const headers = { 'Content-Type': 'application/octet-stream' };
    const sent = client.fetch('PUT', path, { body, headers, signal: giveUp.signal, duplex: 'half' } as RequestInit);
    await assert.rejects(sent);
    await until(async () => readdirSync(join(directory, 'staging')).length === 0);
    assertRefused(await send(client, `GET ${path}`), { status: 404, code: 'file_not_found', error: 'File not found' });
  });

  test('a backup is made, downloaded, restored and copied; a schedule makes one', async () => {
    const id = await makeBot();
    await client.writeFile(id, 'word', 'before');
    type Backup = { id: string; download_url: string };
    const { data: backup } = await client.call<Backup>('POST', `/bots/${id}/backups`, { name: 'one' });
    assert.equal((await client.fetch('GET', backup.download_url)).headers.get('Content-Type'), 'application/gzip');
    await client.writeFile(id, 'word', 'after');
    await client.call('POST', '/backups/restore', { backup_id: backup.id });
    await untilBot(id, ({ phase }) => phase !== 'restoring');
    assert.equal(await (await client.fetch('GET', `/bots/${id}/files/content?path=word`)).text(), 'before');
    const { data: copy } = await client.call<{ id: string }>('POST', '/bots/create-from-backup', {
      backup_id: backup.id,
      name: 'copy',
    });
    assert.equal(readFileSync(join(directory, 'homes', copy.id, 'word'), 'utf8'), 'before');
    const schedule = { name: 'daily', cron: '0 3 * * *', action: 'backup', keep: 1 };
    const { data: made } = await client.call<{ id: string }>('POST', `/bots/${id}/schedules`, schedule);
    await client.call('POST', '/schedules/run', { schedule_id: made.id });
    await until(async () => {
      const { data } = await client.call<{ count: number }>('GET', `/bots/${id}/backups`);
      return data.count === 2;
    });
  });

  test('the api describes the same API, and may neither read keys of others nor homes', async () => {
    const document = await (await client.fetch('GET', '/openapi.json')).json();
    assert.deepEqual(document, JSON.parse(readFileSync(checkoutPath('openapi.json'), 'utf8')));
    const mode = (path: string) => statSync(join(directory, path)).mode & 0o777;
    assert.equal(mode('agent.sock'), 0o660);
    if (apiUser === undefined) return;
    const shared = ['botel.sqlite', 'botel.sqlite-wal', 'botel.sqlite-shm', 'secret.key', 'lock-api', 'install-id'];
    for (const path of shared) assert.equal(statSync(join(directory, path)).gid, apiUser, path);
    assert.deepEqual([mode('secret.key'), mode('botel.sqlite-wal'), mode('lock')], [0o640, 0o660, 0o600]);
    for (const path of ['backups', 'staging', 'restoring']) assert.equal(mode(path), 0o700, path);
  });
});

/** What `botel doctor` says of the roles. */
function doctorSays(): string[] {
  const environment = {
    PATH: process.env.PATH ?? '',
    BOTEL_DATA_DIR: directory,
    BOTEL_ENGINE: 'fake',
    BOTEL_GATEWAY_PORT: 'off',
  };
  const program = [checkoutPath('packages/server/src/main.ts'), 'doctor', '--json'];
  const { stdout } = spawnSync(process.execPath, program, { env: environment, encoding: 'utf8' });
  const findings = JSON.parse(stdout) as { check: string; state: string; text: string }[];
  return findings.filter(({ check }) => check === 'roles').map(({ state, text }) => `${state} ${text}`);
}

test('the doctor sees both halves, and which one is missing', async () => {
  const [both = '', socket] = doctorSays();
  assert.ok(
    both.startsWith(`ok api (process ${halves.api.pid}, user ${apiUser ?? process.getuid?.()}) and agent`),
    both,
  );
  if (apiUser !== undefined) assert.equal(socket, "ok only the api's group can use the agent's socket");
  await halves.agent.end('SIGKILL');
  assert.deepEqual(doctorSays(), [
    `fix the api runs (process ${halves.api.pid}), the agent does not: calls are accepted and carried out once it runs`,
  ]);
  await halves.restartAgent();
  await untilReady();
});

describe('without the agent', () => {
  test('the api answers, keeps wishes, and goes on where it was', async () => {
    const id = await makeBot();
    const closing = new AbortController();
    const events: string[] = [];
    const reading = (async () => {
      for await (const { event, data } of client.logStream(id, 'tail=0', closing.signal))
        events.push(`${event} ${JSON.stringify(data)}`);
    })().catch(() => {});
    await until(async () => events.length > 0);
    await halves.agent.end('SIGKILL');
    const away = await untilBot(id, ({ status_reason }) => status_reason === 'engine_unavailable');
    assert.equal(away.status, 'offline');
    assertRefused(await send(client, 'GET /ready'), agentAway);
    assert.equal((await client.fetch('GET', '/health')).status, 200);
    assert.equal((await client.lifecycle('start', id)).data.status, 'starting');

    await halves.restartAgent();
    await untilBot(id, ({ status, status_reason }) => status === 'online' && status_reason === null);
    await until(async () => events.some((event) => event.startsWith('log') && event.includes('started')));
    closing.abort();
    await reading;
    await untilReady();
  });

  test('routes that need homes say so, all others answer', async () => {
    const id = await makeBot();
    await halves.agent.end('SIGKILL');
    await until(async () => (await client.fetch('GET', '/ready')).status === 503);
    for (const { operationId, declaration } of routes) {
      const { method, scope, bodyKind } = declaration;
      const needsAgent = operationId in agentRoutes;
      if (/stream$|\/auth\/|\/setup|\/ready/.test(declaration.url)) continue;
      const line = `${method} ${declaration.url.replace(':id', id)}`;
      const headers: Record<string, string> = bodyKind === 'raw' ? { 'Content-Type': 'application/octet-stream' } : {};
      const response = await client.fetch(method, line.split(' ')[1] ?? '', {
        headers: method === 'GET' ? {} : { 'Content-Type': 'application/json', ...headers },
        body: method === 'GET' ? null : JSON.stringify({ bot_id: id, name: 'x', text: 'x' }),
      });
      await response.body?.cancel();
      if (needsAgent) assert.equal(response.headers.get('X-Error-Code'), 'not_ready', line);
      else assert.ok(response.status < 500, `${line}: ${response.status}`);
      if (needsAgent && scope) assert.equal((await fetch(response.url, { method })).status, 401, line);
    }
    await halves.restartAgent();
    await untilReady();
  });
});

describe('without the api', () => {
  test('the agent restarts what crashes and keeps all lines; streams go on where they were', async () => {
    const id = await makeBot('node exit 1 after 300');
    await client.lifecycle('start', id);
    await untilBot(id, ({ run }) => (run ?? 0) >= 1);
    await halves.api.end('SIGKILL');
    await until(async () => recordedRun(id) >= 3, 30_000);
    await halves.restartApi();
    const bot = await untilBot(id, ({ run }) => (run ?? 0) >= 3);
    assert.equal(bot.last_exit?.reason, 'crashed');
    await client.lifecycle('kill', id);
    const { run } = await untilBot(id, ({ status }) => status === 'offline');
    const lines = await texts(id);
    assert.equal(lines.filter((text) => text === 'started').length, run);
    const closing = new AbortController();
    for await (const { event, data } of client.logStream(id, 'after=2', closing.signal)) {
      if (event !== 'log') continue;
      assert.equal((data as { seq: number }).seq, 3);
      break;
    }
    closing.abort();
  });
});

test('an api that is asked to end says so and nothing else', async () => {
  await untilReady();
  await halves.api.end('SIGTERM');
  assert.doesNotMatch(halves.api.printed(), /"level":50/);
  await halves.restartApi();
});

/** What the agent has recorded, without anybody's API. */
function recordedRun(id: string): number {
  const database = new DatabaseSync(join(directory, 'botel.sqlite'), { readOnly: true });
  try {
    const row = database.prepare('select run from observations where bot_id = ?').get(id) as { run: number };
    return row.run;
  } finally {
    database.close();
  }
}
