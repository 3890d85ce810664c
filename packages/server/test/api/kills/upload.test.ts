// kill -9 of the server in the middle of an upload: the files are the old or the new ones, never a
// mixture; what was answered is there; nothing temporary stays.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { goodBot } from '../../support/fixture.ts';
import { until } from '../../support/until.ts';
import {
  anyOf,
  fingerprint,
  type KillableServer,
  killDuring,
  type Moment,
  makeTree,
  momentsOver,
  namesIn,
  startKillable,
} from './killable-server.ts';

type Side = 'day' | 'night';
const sides: Side[] = ['day', 'night'];

interface Upload {
  query: string;
  body(side: Side): Uint8Array<ArrayBuffer> | FormData;
}

const scratch = mkdtempSync(join(tmpdir(), 'botel-trees-'));
const trees = {} as Record<Side, string>;
let server: KillableServer;
let botId = '';

before(async () => {
  for (const side of sides) {
    makeTree(join(scratch, side), side);
    trees[side] = fingerprint(join(scratch, side));
    execFileSync('tar', ['-C', join(scratch, side), '-czf', join(scratch, `${side}.tar.gz`), '.']);
  }
  server = await startKillable();
  ({ id: botId } = await server.client.createBot(goodBot));
});

after(async () => {
  await server?.[Symbol.asyncDispose]();
  rmSync(scratch, { recursive: true, force: true });
});

const staging = () => join(server.directory, 'staging');
const home = () => join(server.directory, 'homes', botId);
const archive = (side: Side) => new Uint8Array(readFileSync(join(scratch, `${side}.tar.gz`)));

/** Sends one side; resolves to the status of the answer. */
async function send({ query, body }: Upload, side: Side): Promise<number> {
  const sent = body(side);
  const headers: Record<string, string> =
    sent instanceof FormData ? {} : { 'Content-Type': 'application/octet-stream' };
  const response = await server.client.fetch('POST', `/bots/${botId}/files/upload?mirror=true&${query}`, {
    body: sent,
    headers,
  });
  await response.arrayBuffer();
  return response.status;
}

const steps: Moment[] = [
  { what: 'when it has begun', hasCome: () => namesIn(staging()).length > 0 },
  { what: 'when the first file is unpacked', hasCome: () => anyOf(staging(), 'tree', 'large') },
  { what: 'when all files are unpacked', hasCome: () => anyOf(staging(), 'tree', 'folder-19', 'file-999') },
  { what: 'when it is being decided', hasCome: () => anyOf(staging(), 'journal.new') },
  { what: 'when it is decided', hasCome: () => anyOf(staging(), 'journal') },
  { what: 'when files are moved in', hasCome: () => anyOf(staging(), 'slots', 'save', '9') },
  { what: 'when half is moved in', hasCome: () => anyOf(staging(), 'slots', 'save', '500') },
  { what: 'at its end', hasCome: () => false },
];

/** Kills at all steps and at `more` other moments. */
async function checkKills(t: { diagnostic(text: string): void }, upload: Upload, more: number): Promise<void> {
  let present: Side = 'day';
  const began = performance.now();
  assert.equal(await send(upload, present), 200);
  const moments = [...steps, ...momentsOver(performance.now() - began, more, 1)];
  assert.equal(fingerprint(home()), trees.day);

  const ends = { unseen: 0, undecided: 0, decided: 0 };
  for (const moment of moments) {
    const wanted: Side = present === 'day' ? 'night' : 'day';
    const status: number | null = await killDuring(server, moment, () => send(upload, wanted));
    const decided = anyOf(staging(), 'journal');
    ends[decided ? 'decided' : namesIn(staging()).length > 0 ? 'undecided' : 'unseen']++;
    await server.restart();
    const found = sides.find((side) => trees[side] === fingerprint(home()));
    assert.ok(found, `killed ${moment.what}: the files are of neither side`);
    assert.deepEqual(namesIn(staging()), [], moment.what);
    if (status !== null) assert.deepEqual([status, found], [200, wanted], `killed ${moment.what}`);
    if (decided) assert.equal(found, wanted, `killed ${moment.what}: it was decided`);
    present = found;
  }
  t.diagnostic(JSON.stringify(ends));
  assert.ok(ends.undecided > 0 && ends.decided > 0, JSON.stringify(ends));
}

test('an archive', (t) => checkKills(t, { query: 'extract=tar.gz', body: archive }, 4));

test('a form with an archive', async (t) => {
  const body = (side: Side) => {
    const form = new FormData();
    form.append('file', new Blob([archive(side)]), 'bot.tar.gz');
    return form;
  };
  await checkKills(t, { query: 'extract=tar.gz', body }, 0);
});

for (const [format, hasCome] of [
  // Unpacked while it arrives, and after it.
  ['tar.gz', () => namesIn(staging()).some((stage) => namesIn(staging(), stage, 'tree').length > 0)],
  ['zip', () => anyOf(staging(), 'archive')],
] as const)
  test(`an archive of which the second half never comes, as ${format}`, async () => {
    const before = fingerprint(home());
    const bytes = archive('night');
    const waiting = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes.subarray(0, bytes.length / 2)),
      pull: () => waiting.promise,
    });
    const init: RequestInit & { duplex: 'half' } = {
      body,
      duplex: 'half',
      headers: { 'Content-Type': 'application/octet-stream' },
    };
    const result = await killDuring(server, { what: 'in its body', hasCome }, () =>
      server.client.fetch('POST', `/bots/${botId}/files/upload?extract=${format}`, init),
    );
    waiting.resolve();
    assert.equal(result, null);
    assert.equal(namesIn(staging()).length, 1);
    await server.restart();
    assert.deepEqual([fingerprint(home()), namesIn(staging())], [before, []]);
  });

test('a single file', async () => {
  const path = `/bots/${botId}/files/content?path=single`;
  const fill = (letter: string) => Buffer.alloc(30 * 1024 * 1024, letter);
  const write = (letter: string) => async () => {
    const headers = { 'Content-Type': 'application/octet-stream' };
    return (await server.client.fetch('PUT', path, { body: fill(letter), headers })).status;
  };
  const began = performance.now();
  assert.equal(await write('a')(), 200);
  let present = 'a';
  for (const moment of momentsOver(performance.now() - began, 6, 3)) {
    const wanted = present === 'a' ? 'b' : 'a';
    const status = await killDuring(server, moment, write(wanted));
    await server.restart();
    const bytes = readFileSync(join(home(), 'single'));
    present = bytes.toString('latin1', 0, 1);
    assert.ok(bytes.equals(fill(present)), `killed ${moment.what}: a mixture`);
    if (status !== null) assert.deepEqual([status, present], [200, wanted]);
    assert.deepEqual(namesIn(staging()), []);
  }
});

test('afterwards the bot starts', async () => {
  await server.client.lifecycle('start', botId);
  await until(async () => (await server.client.bot(botId)).status === 'online');
});
