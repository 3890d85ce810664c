// The fixture of browser tests: the built dashboard in Debian's Chromium against the real server with the fake engine. A page
// that logs an error, breaks its content policy or asks another origin for anything fails its test.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';
import { type Fixture, startFixture } from '../../packages/server/test/support/fixture.ts';
import { chromiumPath } from './chromium-path.ts';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';

/** A wait that takes longer has failed. */
const waitMs = 15_000;
/** A page that does not fit after it does not fit. */
const settleMs = 3_000;

/** Containers and networks of other tests come and go; Chromium cuts requests then, those to this machine too. */
const networkChanged = 'net::ERR_NETWORK_CHANGED';
const tries = 3;

/** Of a tab. Phones are 360 px wide; `faults` that a test expects are taken out by `forgive`. */
interface Tab {
  page: Page;
  context: BrowserContext;
  /** Faults so far whose text holds `part` are expected. */
  forgive(part: string): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TabOptions {
  theme?: 'light' | 'dark';
  locale?: 'en-US' | 'pt-BR';
  width?: number;
  /** Not signed in. */
  guest?: boolean;
  /** Another address that leads to the server. */
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

/** What is needed of a server: its address, and a session for those who are not guests. */
type Target = Pick<Fixture, 'url' | 'token'>;

export interface OpenBrowser extends AsyncDisposable {
  openTab(path: string, options?: TabOptions): Promise<Tab>;
}

/** A browser for a server that is there already. */
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
      // Told beside the failure of the test itself, which would hide it.
      if (faults.length > 0) console.error(`The page complained: ${faults.join('\n')}`);
      assert.deepEqual(faults, [], 'what the page complained about');
    },
  };
}

/** Resolves when the page has drawn its heading; begins anew where the machine's network changed before that. */
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

/** Fails with every violation of WCAG 2.2 A and AA, and of good practice, on the page as it is now. */
export async function assertAccessible(page: Page): Promise<void> {
  // The page's policy lets no script in; what the debugger evaluates is none of the page's.
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

/** Keeps how the page looks now in test/browser/pictures, for people to look at; nothing is compared. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  const file = name.replace(/[^a-z0-9]+/gi, '-').replace(/^-/, '');
  await page.screenshot({ path: checkoutPath(`test/browser/pictures/${file || 'bots'}.png`), animations: 'disabled' });
}

/** Fails when the page has to be scrolled sideways, once what is loaded has found its place. */
export async function assertFits(page: Page): Promise<void> {
  const measure = () =>
    page.evaluate<[number, number]>('[document.documentElement.scrollWidth, document.documentElement.clientWidth]');
  const giveUpAt = performance.now() + settleMs;
  let [needed, there] = await measure();
  while (needed > there && performance.now() < giveUpAt) [needed, there] = await measure();
  assert.ok(needed <= there, `the page is ${needed} px wide in a window of ${there} px`);
}
