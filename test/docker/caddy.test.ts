// `botel up --tls` as an operator runs it, with Debian's Caddy: an address by https, a Caddy
// without rights that is kept running and ends with Botel however that ends, and what is said when
// it can't begin. No containers: the engine is the fake one.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { portState } from '../../packages/server/src/core/lib/port-state.ts';
import { caddyUser } from '../../packages/server/src/cli/setup/caddy-user.ts';
import { installCaddy } from '../../packages/server/src/cli/setup/install-caddy.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { get, http1, http2 } from './web-client.ts';
import { freePort } from './web-app-fixture.ts';

const directory = mkdtempSync(join(tmpdir(), 'botel-tls-'));
// The user of Caddy passes it, as it does /var/lib or /opt.
chmodSync(directory, 0o711);
const httpsPort = await freePort();
const httpPort = await freePort();
const settings = {
  BOTEL_ENGINE: 'fake',
  BOTEL_PORT: '0',
  BOTEL_DATA_DIR: directory,
  BOTEL_HTTPS_PORT: String(httpsPort),
  BOTEL_HTTP_PORT: String(httpPort),
  BOTEL_LOG_LEVEL: 'silent',
};

before(() => installCaddy(() => {}));
const begun: ChildProcess[] = [];
after(() => {
  // Of a test that failed; its Caddy goes with it.
  for (const child of begun) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

interface Up {
  child: ChildProcess;
  printed(): string;
  /** Resolves with the exit code, or the signal, when the process is gone. */
  ended: Promise<number | string>;
}

function up(more: Record<string, string> = {}): Up {
  const child = spawn(process.execPath, [checkoutPath('packages/server/src/main.ts'), 'up', '--tls'], {
    env: { PATH: process.env.PATH ?? '', ...settings, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  begun.push(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text));
  return { child, printed: () => printed, ended: once(child, 'close').then(([code, signal]) => code ?? signal) };
}

/** Resolves when Caddy serves and the link of the first admin, which comes last, is printed. */
async function untilServed({ child, printed }: Up): Promise<void> {
  await until(async () => {
    assert.equal(child.exitCode, null, printed());
    return printed().includes('Caddy serves') && printed().includes('/setup -H');
  }, 60_000);
}

/** The child of a process that runs Caddy. */
function caddyOf({ child }: Up): number {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const caddies = children.map(Number).filter((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'caddy\n');
  assert.equal(caddies.length, 1, 'one Caddy');
  return caddies[0] ?? 0;
}

async function untilFree(): Promise<void> {
  await until(async () => (await portState(httpsPort)) === 'free' && (await portState(httpPort)) === 'free');
}

test('the API is served by https with local certificates; Caddy has no rights, is kept running, and ends with Botel', async () => {
  const running = up();
  await untilServed(running);
  const printed = running.printed();
  assert.match(
    printed,
    new RegExp(`^Caddy serves https://localhost:${httpsPort} and apps below apps\\.localhost$`, 'm'),
  );
  assert.match(printed, new RegExp(`https://localhost:${httpsPort}/dashboard/setup#`));
  const root = /--cacert (\S+) /.exec(printed)?.[1] ?? '';
  const ca = readFileSync(root, 'utf8');
  const health = await get(http2(httpsPort, ca), 'localhost', '/health');
  assert.deepEqual([health.status, JSON.parse(health.text).data.status], [200, 'ok']);
  using plain = http1(httpPort).open({ host: 'localhost', path: '/dashboard/' });
  const { status, headers } = await plain.answer;
  assert.deepEqual([status, headers.location], [308, `https://localhost:${httpsPort}/dashboard/`]);
  await assert.rejects(get(http2(httpsPort, ca), 'nobody.apps.localhost', '/'), /alert|SSL|TLS/i);

  const first = caddyOf(running);
  const user = caddyUser([directory, checkoutPath('packaging/caddy/Caddyfile')]);
  const rights = readFileSync(`/proc/${first}/status`, 'utf8');
  assert.match(rights, new RegExp(`^Uid:\\t${user?.uid ?? process.getuid?.()}\\t`, 'm'));
  // Ports below 1024, and nothing else.
  if (user) assert.match(rights, /^CapEff:\t0*400$/m);
  assert.equal(statSync(join(directory, 'caddy')).mode & 0o777, 0o700);
  assert.doesNotMatch(readFileSync(`/proc/${first}/environ`, 'latin1'), /BOTEL_DATA_DIR|BOTEL_LOG_LEVEL/);

  process.kill(first, 'SIGKILL');
  await until(async () => running.printed().includes('Caddy ended (SIGKILL); it is started again in 1 s'));
  await until(async () => (await get(http2(httpsPort, ca), 'localhost', '/health').catch(() => null))?.status === 200);

  running.child.kill('SIGTERM');
  assert.equal(await running.ended, 0);
  await untilFree();
});

test('Caddy ends with a Botel that is killed; the next one serves with the same authority', async () => {
  const running = up();
  await untilServed(running);
  const caddy = caddyOf(running);
  running.child.kill('SIGKILL');
  await running.ended;
  await until(async () => !existsSync(`/proc/${caddy}`));
  const ca = readFileSync(join(directory, 'caddy/pki/authorities/local/root.crt'), 'utf8');
  const next = up();
  await untilServed(next);
  assert.equal((await get(http2(httpsPort, ca), 'localhost', '/health')).status, 200);
  next.child.kill('SIGTERM');
  assert.equal(await next.ended, 0);
});

test('what keeps it from beginning is said, before anything runs', async () => {
  const server = createServer().listen(httpsPort);
  await once(server, 'listening');
  const taken = up();
  assert.equal(await taken.ended, 1);
  assert.match(taken.printed(), new RegExp(`^botel: Port ${httpsPort} is taken\\. .*BOTEL_HTTPS_PORT`, 'm'));
  server.close();
  const plain = up({ BOTEL_PUBLIC_URL: 'http://botel.example.com' });
  assert.equal(await plain.ended, 1);
  assert.match(plain.printed(), /^botel: BOTEL_PUBLIC_URL must begin with https:\/\//m);
  const elsewhere = up({ BOTEL_HOST: '192.0.2.7' });
  assert.equal(await elsewhere.ended, 1);
  assert.match(elsewhere.printed(), /^botel: Caddy connects to Botel at 127\.0\.0\.1, but BOTEL_HOST is 192\.0\.2\.7/m);
});
