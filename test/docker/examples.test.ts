// The example bots the way a user would run them: uploaded, started, restarted, stopped.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { UploadedFilesData } from '@botel/contract/files';
import { create as createTar } from 'tar';
import { checkoutPath } from '../../packages/server/src/checkout.ts';
import { createBot, type NewBot, startAndWait, storedTexts, waitForLine, waitForStatus } from './bots.ts';
import { type LocalServer, startDockerServer } from './fixture.ts';

/** Compiled languages compile on their first start. */
const withinMs = 360_000;

interface Example {
  name: string;
  language: NonNullable<NewBot['language']>;
  memory: number;
  startup_command: string;
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

describe('examples', { concurrency: true }, () => {
  for (const template of readdirSync(checkoutPath('examples'))) {
    test(template, async () => {
      const { client } = server;
      const folder = checkoutPath(`examples/${template}`);
      const example = JSON.parse(readFileSync(`${folder}/example.json`, 'utf8')) as Example;
      const { name, language, memory, startup_command: command } = example;
      const id = await createBot(client, { name, language, memory, command });
      await upload(
        id,
        folder,
        readdirSync(folder).filter((file) => file !== 'example.json'),
      );

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
    });
  }
});
