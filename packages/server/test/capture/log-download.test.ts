// A download ends for a caller that may no longer read, and never looks whole when it is not.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ManualClock } from '../support/manual-clock.ts';
import { LogDownload } from '../../src/api/services/log-download.ts';
import { botId, openLogs, textEntry } from './log-fixture.ts';

/** A download of a few pages; `rights` may be changed while it runs. */
async function openDownload(t: TestContext) {
  const { store } = await openLogs(t);
  for (let count = 0; count < 4; count++)
    await store.append(
      botId,
      Array.from({ length: 16 }, () => textEntry('x'.repeat(8000))),
    );
  const clock = new ManualClock();
  const rights = { session: true, bot: true };
  const accounts = { stillValid: async () => rights.session };
  const caller = { userId: 'u', sessionId: 's', role: 'user' as const };
  const subject = { key: botId, name: 'greeter', lines: store, isThere: async () => rights.bot };
  return { download: new LogDownload({ accounts, clock }, caller, subject, { filter: {} }), clock, rights };
}

test('all pages, while the caller may read', async (t) => {
  const { download, clock } = await openDownload(t);
  let lines = 0;
  for await (const { records } of download.pages()) {
    lines += records.length;
    clock.advance(5000);
  }
  assert.equal(lines, 64);
});

for (const [what, take] of [
  ['the session has ended', (rights: { session: boolean; bot: boolean }) => (rights.session = false)],
  ['the bot is gone', (rights: { session: boolean; bot: boolean }) => (rights.bot = false)],
] as const)
  test(`fails within seconds once ${what}`, async (t) => {
    const { download, clock, rights } = await openDownload(t);
    const pages = download.pages();
    assert.equal((await pages.next()).done, false);
    take(rights);
    assert.equal((await pages.next()).done, false, 'not asked for every page');
    clock.advance(5000);
    await assert.rejects(pages.next(), { name: 'AbortError' });
    assert.ok(download.signal.aborted);
  });

test('fails when it is closed before its end', async (t) => {
  const { download } = await openDownload(t);
  const pages = download.pages();
  await pages.next();
  download.close();
  await assert.rejects(pages.next(), { name: 'AbortError' });
});
