// GET /templates and POST /bots/:id/files/template
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { FileListData } from '@botel/contract/files';
import type { TemplateData } from '@botel/contract/templates';
import { languages } from '@botel/contract/vocabulary';
import { checkoutPath } from '../../src/core/lib/checkout.ts';
import { goodBot, startFixture } from '../support/fixture.ts';
import { assertRefused, invalidInput, send } from './request.ts';

const fixture = await startFixture();
after(() => fixture[Symbol.asyncDispose]());
const { client, guest } = fixture;

/** Those that only run with a token of their owner's. */
const withToken = ['discord-js', 'discord-py', 'grammy', 'python-telegram-bot', 'telegraf'];

/** What a bot gets of a template. */
function filesOf(id: string): string[] {
  return readdirSync(checkoutPath(`examples/${id}`))
    .filter((name) => name !== 'example.json')
    .toSorted();
}

test('GET /templates: 200 without a token, for every language, each right for POST /bots/create', async () => {
  const answer = await send<{ templates: TemplateData[] }>(guest, 'GET /templates');
  assert.equal(answer.status, 200);
  const { templates } = answer.body.data;
  assert.deepEqual(
    templates.map(({ id }) => id),
    [...languages, ...withToken, 'web-nodejs', 'web-python'].toSorted(),
  );
  for (const { id, name, language, memory, startup_command, environment, secrets, files, ...rest } of templates) {
    assert.deepEqual(Object.keys(rest.translations), ['pt-BR'], id);
    assert.deepEqual(Object.keys(rest), ['description', 'translations']);
    assert.equal(secrets.length, withToken.includes(id) ? 1 : 0, id);
    assert.deepEqual(files, filesOf(id), id);
    assert.ok(existsSync(checkoutPath(`examples/${id}`)));
    const created = await client.createBot({ name, language, memory, startup_command, environment });
    await client.deleteBot(created.id);
  }
});

test('its files come into an empty home, without the facts about it; a second time is a conflict', async () => {
  const { id } = await client.createBot({ ...goodBot, memory: 128 });
  const applied = await send(client, `POST /bots/${id}/files/template`, { template_id: 'nodejs' });
  const names = filesOf('nodejs');
  assert.deepEqual([applied.status, applied.body], [200, { success: true, data: { count: names.length } }]);
  const list = await send<FileListData>(client, `GET /bots/${id}/files`);
  assert.deepEqual(
    list.body.data.entries.map(({ name }) => name),
    names,
  );
  const content = await client.fetch('GET', `/bots/${id}/files/content?path=receptionist.js`);
  assert.equal(await content.text(), readFileSync(checkoutPath('examples/nodejs/receptionist.js'), 'utf8'));
  const again = await send(client, `POST /bots/${id}/files/template`, { template_id: 'nodejs' });
  assert.match(again.body.error ?? '', /^"(package\.json|receptionist\.js)" already exists$/);
  assert.deepEqual([again.status, again.headers.get('X-Error-Code')], [409, 'already_exists']);
});

test('400 and 404: no template, and none of this name', async () => {
  const { id } = await client.createBot({ ...goodBot, memory: 128 });
  const apply = (body: object) => send(client, `POST /bots/${id}/files/template`, body);
  assertRefused(await apply({}), invalidInput('template_id', 'is required'));
  assertRefused(await apply({ template_id: 5 }), invalidInput('template_id', 'must be a string'));
  for (const template_id of ['none', '..', '../images']) {
    const refusal = { status: 404, code: 'template_not_found', error: 'Template not found' } as const;
    assertRefused(await apply({ template_id }), refusal);
  }
});
