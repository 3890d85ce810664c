// Row 24: 200 clients of the live stream that take nothing: the server's memory stays, another
// client is on time, and one that goes on later gets the rest, exactly.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createBot, storedLog, waitForBot, waitForLine } from '../docker/bots.ts';
import { type ServerProcess, spawnDockerServer } from '../docker/fixture.ts';
import { openStalled } from '../docker/stalled-client.ts';

const clients = 200;
/** The aim is 50 (docs/reliability.md); how far the heap grows is up to chance. */
const maxAddedMb = 120;
const lines = 12_000;
/** 12 MB in all, 1 MB a second: below what counts as a flood. */
const program = `
let count = 0;
const timer = setInterval(() => {
  for (let i = 0; i < 50; i++) console.log(++count + ' ' + 'x'.repeat(1000));
  if (count >= ${lines}) { console.log('done'); clearInterval(timer); setInterval(() => {}, 1e9); }
}, 50);
`;

test('row 24: 200 clients that take nothing', async (t) => {
  await using server = await spawnDockerServer({ BOTEL_STREAMS_PER_USER: '1000' });
  const { client } = server;
  const id = await createBot(client, { command: 'node index.js', files: { 'index.js': program } });
  // What the lines alone take.
  const alone = await watchRun(server, id, 1);
  const first = (await waitForLine(client, id, ({ text }) => text === 'done', { after: lines - 1000 })).seq;
  const stalled = await Promise.all(
    Array.from({ length: clients }, () =>
      openStalled(server, id, { after: first, headers: { Accept: 'application/x-ndjson' } }),
    ),
  );
  const crowded = await watchRun(server, id, 2);
  const addedMb = crowded.highestMb - alone.highestMb;
  t.diagnostic(`${addedMb} MB more with ${clients} clients than the ${alone.highestMb} MB without`);
  t.diagnostic(`slowest answer to others ${crowded.slowestMs} ms, without them ${alone.slowestMs} ms`);
  assert.ok(addedMb < maxAddedMb, `${addedMb} MB more`);

  const stored = await storedLog(client, id);
  const seen = await readAll(stalled[0]!);
  for (const response of stalled) response.destroy();
  let place = first;
  for (const { event, data } of seen) {
    if (event === 'gap') {
      assert.equal(data.from, place + 1);
      place = data.to!;
    } else if (event === 'log') {
      assert.equal(data.seq, ++place, 'a line is missing and no gap tells of it');
      assert.deepEqual(data, stored[place - 1]);
    }
  }
  assert.ok(place >= first + lines);
});

/** Starts the bot anew and looks at the server until the last line of that run is stored. */
async function watchRun({ client, pid }: ServerProcess, id: string, run: number) {
  const { data } = await client.call<{ lines: { seq: number }[] }>('GET', `/bots/${id}/logs?limit=1`);
  const begin = data.lines.at(-1)?.seq ?? 0;
  await client.lifecycle('restart', id);
  await waitForBot(client, id, (bot) => bot.status === 'online' && bot.run === run);
  let [slowestMs, highestMb] = [0, 0];
  for (let last = begin; last < begin + lines; ) {
    const began = performance.now();
    const page = await client.call<{ lines: { seq: number }[] }>('GET', `/bots/${id}/logs?limit=1`);
    slowestMs = Math.max(slowestMs, Math.round(performance.now() - began));
    highestMb = Math.max(highestMb, residentMb(pid));
    last = page.data.lines.at(-1)?.seq ?? 0;
    await delay(100);
  }
  return { slowestMs, highestMb };
}

interface Told {
  event: string;
  data: { seq?: number; from?: number; to?: number; text?: string };
}

/** What comes until the last line of the bot. */
async function readAll(response: IncomingMessage): Promise<Told[]> {
  const seen: Told[] = [];
  let rest = '';
  for await (const bytes of response.setEncoding('utf8')) {
    rest += bytes;
    const parts = rest.split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const told = JSON.parse(part) as Told;
      seen.push(told);
      if (told.event === 'log' && told.data.text === 'done') return seen;
    }
  }
  return seen;
}

function residentMb(processId: number): number {
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))?.[1]) / 1024);
}
