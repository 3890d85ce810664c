// Budgets of pages: bytes of scripts and styles by the build's manifest, and when they request
// what.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { goodBot } from '../../packages/server/test/support/fixture.ts';
import { startBrowser } from './fixture.ts';

/** As Vite writes it. */
interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
  isEntry?: boolean;
}

const manifest: Record<string, Chunk> = JSON.parse(
  readFileSync(checkoutPath('packages/web/dist/.vite/manifest.json'), 'utf8'),
);
const zipped = (file: string) => gzipSync(readFileSync(checkoutPath(`packages/web/dist/${file}`))).length / 1024;
const sizeOf = (files: Iterable<string>) => [...files].reduce((sum, file) => sum + zipped(file), 0);

/** The chunk and all that it can't do without. */
function needed(key: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  assert.ok(chunk, `${key} is in the manifest`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const each of chunk.imports ?? []) needed(each, found);
  return found;
}

const entry = Object.keys(manifest).find((key) => manifest[key]?.isEntry) ?? '';
const firstPage = needed('src/pages/bots.tsx', needed(entry));

function within(limit: number, size: number, what: string): void {
  console.log(`${what}: ${size.toFixed(1)} KiB of ${limit}`);
  assert.ok(size <= limit, `${what}: ${size.toFixed(1)} KiB`);
}

describe('bytes', () => {
  test('of scripts of the first page', () => within(140, sizeOf(firstPage), 'scripts of the first page'));

  test('of styles', () => {
    const styles = new Set(Object.values(manifest).flatMap(({ css = [] }) => css));
    assert.ok(styles.size > 0);
    within(12, sizeOf(styles), 'styles');
  });

  test('that the console adds', () => {
    const parts = ['src/pages/bot/bot-frame.tsx', 'src/pages/bot/console-tab.tsx', 'src/log/metrics-panel.tsx'];
    const scripts = parts.flatMap((part) => [...needed(part)]).filter((file) => !firstPage.has(file));
    within(35, sizeOf(new Set(scripts)), 'scripts that the console adds');
  });

  test('of a chunk that is loaded later', () => {
    for (const { file } of Object.values(manifest))
      if (file.endsWith('.js')) assert.ok(zipped(file) <= 150, `${file}: ${zipped(file).toFixed(1)} KiB`);
  });
});

describe('a page asks for its scripts and its data before the main script runs, and once', async () => {
  const fixture = await startBrowser();
  after(() => fixture[Symbol.asyncDispose]());
  const { id } = await fixture.client.createBot({ ...goodBot, startup_command: 'node echo' });
  const pages: [path: string, script: string, data: string[]][] = [
    ['/', 'src/pages/bots.tsx', ['/auth/me', '/bots?limit=100', '/usage']],
    [`/bots/${id}`, 'src/pages/bot/console-tab.tsx', ['/auth/me', `/bots/${id}`, `/bots/${id}/logs/stream?tail=200`]],
    [`/bots/${id}/settings`, 'src/pages/bot/settings-tab.tsx', ['/auth/me', `/bots/${id}`]],
  ];
  for (const [path, script, data] of pages)
    test(path.replace(id, 'bot'), async () => {
      await using tab = await fixture.openTab('/login', { guest: false });
      const { page } = tab;
      const asked: string[] = [];
      page.on('request', (request) =>
        asked.push(request.url().replace(fixture.url, '').replace('/dashboard/assets', 'assets')),
      );
      await page.goto(`${fixture.url}/dashboard${path}`);
      await page.getByText('Live', { exact: true }).first().waitFor();
      const file = manifest[script]?.file ?? '';
      for (const each of [file, ...data]) {
        assert.deepEqual(
          asked.filter((address) => address === each),
          [each],
        );
        assert.ok(asked.indexOf(each) < asked.indexOf('/events/stream'), `${each} is asked for early`);
      }
    });
});
