// The example bots the way a user would run them: uploaded, started, restarted, stopped.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { UploadedFilesData } from '@botel/contract/files';
import { create as createTar } from 'tar';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { createBot, type NewBot, startAndWait, storedTexts, waitForLine, waitForStatus } from './bots.ts';
import { type LocalServer, startDockerServer } from './fixture.ts';

/** Compiled languages compile on their first start. */
const withinMs = 360_000;

interface Example {
  name: string;
  language: NonNullable<NewBot['language']>;
  memory: number;
  startup_command: string;
  /** What it does not run without. */
  secrets?: { key: string }[];
}

let server: LocalServer;
before(async () => {
  server = await startDockerServer();
});
after(() => server[Symbol.asyncDispose]());

async function upload(botId: string, folder: string, files: string[]): Promise<void> {
  const archive = await Array.fromAsync(createTar({ cwd: folder, gzip: true }, files));
  const response = await server.client.fetch('POST', `/bots/${botId}/files/upload?extract=tar.gz`, {
    body: new Blob(archive.map((chunk) => new Uint8Array(chunk))),
    headers: { 'Content-Type': 'application/gzip' },
  });
  const answer = (await response.json()) as { data: UploadedFilesData };
  assert.equal(response.status, 200, JSON.stringify(answer));
  assert.equal(answer.data.files_written, files.length);
}

const examples = readdirSync(checkoutPath('examples')).map((id) => {
  const facts = JSON.parse(readFileSync(checkoutPath(`examples/${id}/example.json`), 'utf8')) as Example;
  return { id, secrets: [], ...facts };
});

/** A bot with the files of an example; offline. */
async function createFrom({ id: folder, name, language, memory, startup_command: command }: Example & { id: string }) {
  const id = await createBot(server.client, { name, language, memory, command });
  const root = checkoutPath(`examples/${folder}`);
  await upload(
    id,
    root,
    readdirSync(root).filter((file) => file !== 'example.json'),
  );
  return id;
}

const alone = examples.filter(({ secrets }) => secrets.length === 0);
const isCompiled = ({ language }: Example) => ['go', 'java', 'rust'].includes(language);

describe('examples that run as they are', { concurrency: true }, () => {
  for (const example of alone) if (!isCompiled(example)) test(example.id, () => livesItsLife(example));
});

describe('examples that are compiled', { concurrency: true }, () => {
  for (const example of alone) if (isCompiled(example)) test(example.id, () => livesItsLife(example));
});

async function livesItsLife(example: Example & { id: string }): Promise<void> {
  const { client } = server;
  const id = await createFrom(example);
  await startAndWait(client, id);
  const opening = await waitForLine(client, id, ({ text }) => /run number 1\b/.test(text), { withinMs });
  await waitForLine(client, id, ({ stream }) => stream === 'stdout', { after: opening.seq, withinMs });

  await client.lifecycle('restart', id);
  const again = await waitForLine(client, id, ({ text }) => /run number 2\b/.test(text), { withinMs });
  assert.equal(again.run, 2);

  await client.lifecycle('stop', id);
  const { last_exit } = await waitForStatus(client, id, 'offline');
  assert.equal(last_exit?.reason, 'stopped', last_exit?.message);
  for (const run of [1, 2]) {
    const printed = await storedTexts(client, id, { stream: 'stdout', run });
    assert.match(printed.at(-1) ?? '', /^bye\b/, `the last line of run ${run}`);
  }
}

describe('examples of a chat service', { concurrency: true }, () => {
  // What they are made of comes from npm; Python's packages can't be had everywhere tests run.
  for (const example of examples.filter(({ language, secrets }) => secrets.length > 0 && language === 'nodejs')) {
    test(`${example.id}: its packages are installed, and without its token it says what is missing`, async () => {
      const { client } = server;
      const id = await createFrom(example);
      await client.lifecycle('start', id);
      const wanted = new RegExp(`^${example.secrets[0]?.key} is not set`);
      await waitForLine(client, id, ({ stream, text }) => stream === 'stderr' && wanted.test(text), { withinMs });
      await client.lifecycle('stop', id);
      await waitForStatus(client, id, 'offline');
    });
  }
});
