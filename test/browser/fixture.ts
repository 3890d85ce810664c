// The fixture of browser tests: the built dashboard in Debian's Chromium against the real server
// with the fake engine. A page that logs an error, violates its content policy or requests another
// origin fails its test.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { type Fixture, startFixture } from '../../packages/server/test/support/fixture.ts';
import { chromiumPath } from './chromium-path.ts';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';

/** Longer waits fail. */
const waitMs = 15_000;
/** Time for the layout to settle. */
const settleMs = 3_000;

/**
 * Chromium aborts requests, local ones too, when network interfaces change, as containers of other
 * tests make them.
 */
const networkChanged = 'net::ERR_NETWORK_CHANGED';
const tries = 3;

/** A browser tab. Phones are 360 px wide; `forgive` drops faults a test expects. */
interface Tab {
  page: Page;
  context: BrowserContext;
  /** Drops the faults so far whose text contains `part`. */
  forgive(part: string): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TabOptions {
  theme?: 'light' | 'dark';
  locale?: 'en-US' | 'pt-BR';
  width?: number;
  /** Not signed in. */
  guest?: boolean;
  /** Another origin that leads to the server. */
  origin?: string;
  /** Another session than the admin's of the fixture. */
  token?: string;
}

export interface BrowserFixture extends Fixture {
  /** Opens a tab that is signed in as the admin, at `path` below /dashboard. */
  openTab(path: string, options?: TabOptions): Promise<Tab>;
}

/** A server and a browser. `settings` are environment variables. */
export async function startBrowser(settings: Record<string, string> = {}): Promise<BrowserFixture> {
  const server = await startFixture(settings);
  const browser = await openBrowser(server);
  return {
    ...server,
    openTab: browser.openTab,
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** What a tab needs of a server: its URL, and a session unless it is a guest. */
type Target = Pick<Fixture, 'url' | 'token'>;

export interface OpenBrowser extends AsyncDisposable {
  openTab(path: string, options?: TabOptions): Promise<Tab>;
}

/** A browser for a server that is already running. */
export async function openBrowser(server: Target): Promise<OpenBrowser> {
  assert.ok(
    existsSync(checkoutPath('packages/web/dist/index.html')),
    'The dashboard is not built: ./botel test builds it',
  );
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--no-first-run',
      '--disable-dev-shm-usage',
    ],
  });
  return {
    openTab: (path, options) => openTab(browser, server, path, options),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

async function openTab(
  browser: Browser,
  { url, token: usual }: Target,
  path: string,
  { theme = 'light', locale = 'en-US', width = 1280, guest = false, origin = url, token = usual }: TabOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme, locale });
  if (!guest)
    await context.addCookies([
      { name: 'botel_session', value: token, url: origin, httpOnly: true, sameSite: 'Strict' },
    ]);
  const page = await context.newPage();
  page.setDefaultTimeout(waitMs);
  let faults: string[] = [];
  page.on('console', (message) => {
    const isFault = message.type() === 'error' || message.type() === 'warning';
    if (isFault && !message.text().includes(networkChanged)) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    const asked = new URL(request.url());
    if (/^https?:$/.test(asked.protocol) && asked.origin !== origin) faults.push(`asked ${asked.origin}`);
  });
  await open(page, `${origin}/dashboard${path}`);
  return {
    page,
    context,
    forgive(part) {
      faults = faults.filter((fault) => !fault.includes(part));
    },
    async [Symbol.asyncDispose]() {
      await context.close();
      // Printed too: a failure of the test itself would hide it.
      if (faults.length > 0) console.error(`The page complained: ${faults.join('\n')}`);
      assert.deepEqual(faults, [], 'what the page complained about');
    },
  };
}

/** Resolves when the heading is rendered; retries if the machine's network changed before that. */
async function open(page: Page, address: string): Promise<void> {
  for (let left = tries; ; left--) {
    const { promise: cut, resolve } = Promise.withResolvers<true>();
    const notice = (request: Request) => {
      if (request.failure()?.errorText === networkChanged) resolve(true);
    };
    page.on('requestfailed', notice);
    const drawn = draw(page, address);
    const wasCut = await Promise.race([cut, drawn]);
    page.off('requestfailed', notice);
    if (wasCut !== true || left === 1) return void (await drawn);
    await drawn.catch(() => undefined);
    await page.goto('about:blank');
  }
}

async function draw(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('h1').first().waitFor({ state: 'attached' });
}

const axeSource = readFile(checkoutPath('node_modules/axe-core/axe.min.js'), 'utf8');

interface AxeResults {
  violations: { id: string; help: string; nodes: { target: string[]; html: string; failureSummary: string }[] }[];
}

/**
 * Fails with every violation of WCAG 2.2 A and AA, and of good practice, on the page as it is now.
 */
export async function assertAccessible(page: Page): Promise<void> {
  // The content policy blocks injected scripts, but not the debugger's evaluation.
  await page.evaluate(await axeSource);
  const violations = await page.evaluate(async () => {
    const { axe, document } = globalThis as unknown as {
      axe: { run(node: unknown, options: object): Promise<AxeResults> };
      document: unknown;
    };
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const results = await axe.run(document, { runOnly: { type: 'tag', values } });
    return results.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary}`),
    );
  });
  assert.deepEqual(violations, []);
}

/** Saves a screenshot in test/browser/pictures for people; nothing is compared. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const file = name.replace(/[^a-z0-9]+/gi, '-').replace(/^-/, '');
  await page.screenshot({ path: checkoutPath(`test/browser/pictures/${file || 'bots'}.png`), animations: 'disabled' });
}

/** Fails if the page scrolls horizontally once its layout has settled. */
export async function assertFits(page: Page): Promise<void> {
  const measure = () =>
    page.evaluate<[number, number]>('[document.documentElement.scrollWidth, document.documentElement.clientWidth]');
  const giveUpAt = performance.now() + settleMs;
  let [needed, there] = await measure();
  while (needed > there && performance.now() < giveUpAt) [needed, there] = await measure();
  assert.ok(needed <= there, `the page is ${needed} px wide in a window of ${there} px`);
}
