// How runs end by themselves on the real engine: the reason and the sentence for the owner, and
// what follows.
import assert from 'node:assert/strict';
import type { EventListData } from '@botel/contract/bot-events';
import type { BotData } from '@botel/contract/bots';
import { after, before, describe, test } from 'node:test';
import { createBot, type NewBot, startAndWait, storedTexts, waitForBot, waitForEnd, waitForLine } from './bots.ts';
import { type LocalServer, startDockerServer, testRuntime } from './fixture.ts';
import { probes } from './probes/probe.ts';
import { until } from '../../packages/server/test/support/until.ts';

let server: LocalServer;
before(async () => {
  server = await startDockerServer();
});
after(() => server[Symbol.asyncDispose]());

/** Runs a bot to its first end, takes its wish back, and resolves with the state at that end. */
async function firstEnd(bot: NewBot): Promise<BotData & { id: string }> {
  const id = await createBot(server.client, bot);
  await server.client.lifecycle('start', id);
  const ended = await waitForEnd(server.client, id);
  if (ended.next_restart_at) await server.client.lifecycle('stop', id);
  return ended;
}

describe('ends', { concurrency: 4 }, () => {
  test('a crash is tried again at growing distance, and from the fifth on it is a loop', async () => {
    const { client } = server;
    const id = await createBot(client, { command: 'node -e "console.error(process.env.BOTEL_RUN); process.exit(3)"' });
    await client.lifecycle('start', id);
    for (let run = 1; run <= 5; run++) {
      const bot = await waitForEnd(client, id, run);
      const { last_exit, status, status_reason, phase, restart_count, next_restart_at } = bot;
      assert.deepEqual(
        { status, status_reason, phase, restart_count },
        {
          status: 'offline',
          status_reason: run < 5 ? 'crashed' : 'crash_loop',
          phase: 'waiting',
          restart_count: run - 1,
        },
      );
      const { reason, code, message, last_lines } = last_exit ?? {};
      assert.deepEqual(
        { run: last_exit?.run, reason, code, message, last_lines },
        { run, reason: 'crashed', code: 3, message: 'Exited with code 3', last_lines: [String(run)] },
      );
      const waits = Date.parse(next_restart_at ?? '') - Date.parse(last_exit?.at ?? '');
      assert.ok(waits >= 2 ** (run - 1) * 1000, `the wait after run ${run} is ${waits} ms`);
    }
    assert.equal((await client.lifecycle('stop', id)).data.status, 'offline');
    const rested = await waitForBot(client, id, ({ status, phase }) => status === 'offline' && phase === null);
    assert.deepEqual([rested.status_reason, rested.next_restart_at], [null, null]);
    await client.lifecycle('start', id);
    const forgiven = await waitForEnd(client, id, 6);
    assert.deepEqual([forgiven.status_reason, forgiven.restart_count], ['crashed', 0]);
    await client.lifecycle('stop', id);
    const system = await storedTexts(client, id, { stream: 'system', run: 1 });
    assert.match(system.join('\n'), /^Run 1 ended after [\d.]+ s: Exited with code 3\. Next try in 1\.\d s$/m);
  });

  test('code 0 is no failure: the bot rests', async (t) => {
    const ended = await firstEnd({ command: 'node -e "console.log(1)"' });
    assert.deepEqual([ended.status, ended.status_reason, ended.phase], ['offline', 'exited', null]);
    assert.deepEqual([ended.last_exit?.code, ended.last_exit?.message], [0, 'Exited with code 0']);
    assert.equal(ended.next_restart_at, null);
    await server.server.settle();
    assert.equal((await server.client.bot(ended.id)).run, 1);
    t.diagnostic(`1 run, ${ended.restart_count} restarts, ${ended.status_reason}`);
  });

  test('a signal from inside', async () => {
    const { last_exit } = await firstEnd({ command: `node -e "process.kill(process.pid, 'SIGABRT')"` });
    const { reason, code, signal, message } = last_exit ?? {};
    assert.deepEqual(
      { reason, code, signal, message },
      { reason: 'crashed', code: 134, signal: 'SIGABRT', message: 'Ended by SIGABRT' },
    );
  });

  test('out of memory', async (t) => {
    const { last_exit, status_reason } = await firstEnd({ command: 'node hog.js', files: probes('hog.js') });
    const { reason, code, signal, oom, message } = last_exit ?? {};
    assert.deepEqual(
      { reason, code, signal, oom, message },
      {
        reason: 'oom',
        code: 137,
        signal: 'SIGKILL',
        oom: true,
        message: 'Out of memory: a process was killed at the limit of 128 MB',
      },
    );
    assert.equal(status_reason, 'oom');
    assert.ok((last_exit?.memory_peak_mb ?? 0) >= 128);
    t.diagnostic(`${reason} with code ${code} at a peak of ${last_exit?.memory_peak_mb} MB`);
  });

  // In gVisor the machine sees one process: the sandbox, which ends as a whole.
  const isWhole = { skip: testRuntime === 'runsc' };
  test('out of memory in a child: told at once, and the bot goes on', isWhole, async () => {
    const { client } = server;
    const id = await createBot(client, { command: 'node parent.js', files: probes('parent.js', 'hog.js') });
    await startAndWait(client, id);
    await waitForLine(client, id, ({ text }) => text === 'child ended by SIGKILL');
    await waitForLine(client, id, ({ stream, text }) => stream === 'system' && text.startsWith('Out of memory'));
    const told = await until(async () => {
      const { data } = await client.call<EventListData>('GET', `/bots/${id}/events?type=bot.oom`);
      return data.events.length > 0 && data.events;
    });
    assert.match(told[0]?.message ?? '', /; the bot runs on$/);
    const alive = await client.bot(id);
    assert.deepEqual([alive.status, alive.run, alive.last_exit], ['online', 1, null]);
    await client.writeFile(id, 'end', '');
    const { last_exit } = await waitForEnd(client, id);
    assert.deepEqual([last_exit?.reason, last_exit?.code, last_exit?.oom], ['oom', 3, true]);
    await client.lifecycle('stop', id);
  });

  const unstartable: [string, NewBot, RegExp][] = [
    ['an unknown program', { command: 'no-such-program --now' }, /^no-such-program: command not found$/],
    [
      'an unknown program behind a shell',
      { command: 'true && no-such-program' },
      /no-such-program: command not found$/,
    ],
    ['a program that is no file', { command: './missing' }, /^\.\/missing: No such file or directory$/],
    ['a file without the right to run', { command: './plain', files: { plain: 'x' } }, /^\.\/plain: Permission denied/],
    ['an interpreter of another language', { command: 'python bot.py' }, /python.*(not found|No such file)/],
    [
      'a path without the interpreter',
      { command: 'node x.js', environment: { PATH: '/nowhere' } },
      /node.*No such file/,
    ],
  ];
  for (const [what, bot, message] of unstartable) {
    test(`start_failed: ${what}`, async () => {
      const { status, status_reason, last_exit, next_restart_at } = await firstEnd(bot);
      assert.deepEqual([status, status_reason], ['offline', 'start_failed']);
      assert.match(last_exit?.message ?? '', message);
      assert.notEqual(next_restart_at, null);
    });
  }

  test('a program that fails at once is a crash, with its last lines', async () => {
    const { last_exit } = await firstEnd({ command: 'node missing.js' });
    assert.deepEqual([last_exit?.reason, last_exit?.code], ['crashed', 1]);
    assert.match(last_exit?.last_lines.join('\n') ?? '', /Cannot find module '\/home\/bot\/missing\.js'/);
  });

  test('a start while waiting does not wait', async () => {
    const { client } = server;
    const id = await createBot(client, { command: 'node index.js' });
    await client.lifecycle('start', id);
    await waitForEnd(client, id, 2);
    await client.writeFile(id, 'index.js', 'setInterval(() => {}, 1000)');
    assert.equal((await client.lifecycle('start', id)).data.status, 'starting');
    const bot = await waitForBot(client, id, ({ status }) => status === 'online');
    assert.deepEqual([bot.restart_count, bot.next_restart_at, bot.status_reason], [0, null, null]);
  });
});
