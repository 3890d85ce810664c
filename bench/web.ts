// The dashboard over a slow line on a slow phone: the list of bots, and the console of one that has
// written a lot. Both are visited in turn, each time by a browser that knows nothing. The engine is
// the fake one: what a page costs does not depend on it.
import { chromium } from 'playwright-core';
import { chromiumPath } from '../test/browser/chromium-path.ts';
import { prepareBrowser } from '../test/browser/prepare.ts';
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import { loadPage, type PageLoad } from './page-load.ts';
import { median } from './statistics.ts';
import { until } from './until.ts';

const visits = 5;
const bots = 8;
const lines = 1000;
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
  '--disable-dev-shm-usage',
];

export async function measureWeb(environment: Ground): Promise<Finding[]> {
  await prepareBrowser();
  const product = await environment.product({ BOTEL_ENGINE: 'fake' });
  const { client, url, token } = product;
  for (let count = 1; count < bots; count++) await product.createBot('sleep 1000', {}, 128);
  const botId = await product.createBot('echo', {}, 128);
  await client.call('POST', '/bots/update', { bot_id: botId, stdin: true });
  await product.startBot(botId);
  const text = Array.from(
    { length: lines / 10 },
    (_, line) => `\x1b[3${line % 8}m${line}\x1b[0m something that happened\n`,
  );
  for (let part = 0; part < 10; part++)
    await client.call('POST', '/bots/input', { bot_id: botId, text: text.join('') });
  await until('all lines are there', async () => {
    const { data } = await client.call<{ lines: { seq: number }[] }>('GET', `/bots/${botId}/logs?limit=1`);
    return (data.lines.at(-1)?.seq ?? 0) >= lines ? true : null;
  });

  const pages = { list: `${url}/dashboard/`, console: `${url}/dashboard/bots/${botId}` };
  const loads: Record<keyof typeof pages, PageLoad[]> = { list: [], console: [] };
  const browser = await chromium.launch({ executablePath: chromiumPath, args: flags });
  try {
    // What the first one costs is the browser's own start.
    await loadPage(browser, { address: pages.list, token });
    for (let count = 0; count < visits; count++)
      for (const page of ['list', 'console'] as const)
        loads[page].push(await loadPage(browser, { address: pages[page], token }));
  } finally {
    await browser.close();
  }
  await environment.close(product);
  return [...findingsOf('list of bots', loads.list, 2500), ...findingsOf('console', loads.console, 3000)];
}

function findingsOf(page: string, loads: PageLoad[], lcpAim: number): Finding[] {
  const middle = (pick: (load: PageLoad) => number) => median(loads.map(pick));
  const common = { samples: loads.length, beside: null };
  const best = Math.min(...loads.map(({ lcpMs }) => lcpMs));
  return [
    {
      ...common,
      what: `${page}: largest paint, ms`,
      botel: middle(({ lcpMs }) => lcpMs),
      aim: { atMost: lcpAim },
      note: `slow 4G, processor 4x slower; best ${best.toFixed(0)}`,
    },
    {
      ...common,
      what: `${page}: blocked, ms of its thread`,
      botel: middle(({ tbtMs }) => tbtMs),
      aim: { atMost: 400 },
      note: `by the clock ${middle(({ wallTbtMs }) => wallTbtMs).toFixed(0)}`,
    },
    { ...common, what: `${page}: layout shifts`, botel: middle(({ cls }) => cls), aim: { atMost: 0.02 } },
  ];
}
