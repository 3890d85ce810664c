// The configuration of Caddy, and its supervision, with a stub program in its place.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { until } from '../../../test/support/until.ts';
import { portState } from '../../core/lib/port-state.ts';
import { type CaddyInputs, isCaddyNewEnough, isPublicName, planCaddy } from './caddy-plan.ts';
import { CaddyProcess } from './caddy-process.ts';

const directory = await mkdtemp(join(tmpdir(), 'botel-caddy-'));
after(() => rm(directory, { recursive: true, force: true }));

const bare: CaddyInputs = {
  publicUrl: '',
  tlsCertificates: 'auto',
  httpsPort: 443,
  httpPort: 80,
  trustedProxies: ['127.0.0.1', '::1'],
  apiPort: 8080,
  gatewayPort: 8081,
};

test('without a public address Caddy serves localhost, with certificates of its own', () => {
  assert.deepEqual(planCaddy({ ...bare, httpsPort: 8443, httpPort: 8088 }), {
    certificates: 'local',
    address: 'https://localhost:8443',
    environment: {
      BOTEL_PUBLIC_URL: 'https://localhost',
      CADDY_REDIRECT_PORT: ':8443',
      BOTEL_TLS_CERTIFICATES: 'local',
      BOTEL_HTTPS_PORT: '8443',
      BOTEL_HTTP_PORT: '8088',
      BOTEL_PORT: '8080',
      BOTEL_GATEWAY_PORT: '8081',
      CADDY_PROXIES_IN_FRONT: '',
    },
  });
});

test('a public name gets certificates of an authority; who is sent to https goes to the port of the public address', () => {
  const { certificates, address, environment } = planCaddy({
    ...bare,
    publicUrl: 'https://botel.example.com',
    httpsPort: 8443,
  });
  assert.equal(certificates, 'public');
  assert.equal(address, 'https://botel.example.com');
  assert.equal(environment.BOTEL_PUBLIC_URL, 'https://botel.example.com');
  assert.equal(environment.CADDY_REDIRECT_PORT, '');
  assert.equal(environment.BOTEL_HTTPS_PORT, '8443');
  const forced = planCaddy({ ...bare, publicUrl: 'https://botel.example.com', tlsCertificates: 'local' });
  assert.equal(forced.certificates, 'local');
});

test('proxies before Caddy are those of the settings but the machine itself', () => {
  const trustedProxies = ['127.0.0.1', '::1', '127.0.0.0/8', '192.0.2.0/24', '2001:db8::/32'];
  const { environment } = planCaddy({ ...bare, trustedProxies });
  assert.equal(environment.CADDY_PROXIES_IN_FRONT, '192.0.2.0/24 2001:db8::/32');
});

test('settings that do not go with TLS are refused', () => {
  assert.throws(() => planCaddy({ ...bare, publicUrl: 'http://botel.example.com' }), /must begin with https:\/\//);
  assert.throws(() => planCaddy({ ...bare, httpPort: 443 }), /must not be the same/);
});

test('names of the public internet are told from others', () => {
  for (const name of ['example.com', 'a.b.example.co.uk', 'xn--bcher-kva.ch']) assert.ok(isPublicName(name), name);
  const others = ['localhost', 'botel.localhost', 'botel', 'nas.lan', 'box.home.arpa', '192.0.2.1', '[2001:db8::1]'];
  for (const name of others) assert.ok(!isPublicName(name), name);
});

test('versions of Caddy are compared as numbers', () => {
  for (const output of ['2.6.2', 'v2.8.4 h1:q3pe0wpBj1OcHFZ3n/1nl4V4bxBrYoSoab7rL9BMYNk=', 'v2.10.0', 'v3.0.0'])
    assert.ok(isCaddyNewEnough(output), output);
  for (const output of ['v2.6.1', 'v2.5.9', '1.0.4', '', '(devel)']) assert.ok(!isCaddyNewEnough(output), output);
});

test('a port that is taken, and an address of others, are told', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  const port = await new Promise<number>((resolve) => {
    server.once('listening', () => resolve((server.address() as { port: number }).port));
  });
  assert.equal(await portState(port, '127.0.0.1'), 'taken');
  await new Promise((resolve) => server.close(resolve));
  assert.equal(await portState(port, '127.0.0.1'), 'free');
  assert.equal(await portState(port, '192.0.2.1'), 'foreign');
});

/** A stub program in Caddy's place; `script` is for sh. */
async function stub(name: string, script: string): Promise<string> {
  const program = join(directory, name);
  await writeFile(program, `#!/bin/sh\n${script}\n`);
  await chmod(program, 0o755);
  return program;
}

test('a Caddy that ends at once shows what it printed', async () => {
  const program = await stub('failing', 'echo "adapting config: Caddyfile:3: unknown" >&2; exit 1');
  const options = { program, dataDirectory: join(directory, 'a'), environment: {}, port: 1, report: () => {} };
  await assert.rejects(CaddyProcess.start(options), {
    message: 'Caddy exited immediately (1); the end of its output:\nadapting config: Caddyfile:3: unknown',
  });
});

test('a Caddy that is killed is started again, sees nothing of our environment, and ends when told', async () => {
  const port = await freePort();
  const listen = `require('node:net').createServer().listen(${port}, '127.0.0.1'); process.on('SIGTERM', () => process.exit())`;
  const seen = join(directory, 'seen');
  const program = await stub('good', `env > ${seen}; exec ${process.execPath} -e "${listen}"`);
  const reports: string[] = [];
  const caddy = await CaddyProcess.start({
    program,
    dataDirectory: directory,
    environment: { BOTEL_PORT: '8080' },
    port,
    report: (text) => reports.push(text),
    firstPauseMs: 10,
  });
  const names = (await readFile(seen, 'utf8')).match(/^\w+(?==)/gm);
  assert.deepEqual(names?.sort(), ['BOTEL_PORT', 'HOME', 'PATH', 'PWD', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME']);
  const first = caddy.pid;
  process.kill(first, 'SIGKILL');
  await until(async () => caddy.pid !== first && (await portState(port, '127.0.0.1')) === 'taken');
  assert.deepEqual(reports, ['Caddy ended (SIGKILL); it is started again in 0 s']);
  await caddy.stop();
  assert.throws(() => process.kill(caddy.pid, 0), { code: 'ESRCH' });
  assert.equal(await portState(port, '127.0.0.1'), 'free');
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
