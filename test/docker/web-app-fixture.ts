// What tests of apps stand on: a server with bots in containers, its gateway as a process of its
// own, and on demand Caddy and nginx in front of both, with certificates of their own. Names are
// never looked up.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { BotelClient } from '@botel/contract/client';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { installPackages } from '../../packages/server/src/core/lib/apt-get.ts';
import { portState } from '../../packages/server/src/core/lib/port-state.ts';
import { planCaddy } from '../../packages/server/src/cli/setup/caddy-plan.ts';
import { CaddyProcess } from '../../packages/server/src/cli/setup/caddy-process.ts';
import { installCaddy } from '../../packages/server/src/cli/setup/install-caddy.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { type ServedProcess, serve } from '../../packages/server/test/support/served-process.ts';
import { createBot, type NewBot, waitForLine } from './bots.ts';
import { type ServerProcess, spawnDockerServer } from './fixture.ts';
import { http1, http2, type WayIn } from './web-client.ts';

export interface WebAppFixture extends AsyncDisposable {
  server: ServerProcess;
  gateway: ServedProcess;
  gatewayPort: number;
  /** To the gateway itself. */
  way: WayIn;
  /** Starts the gateway again after its end, at the same port. */
  restartGateway(): Promise<void>;
}

const settings = {
  BOTEL_GATEWAY_APP_RATE: '100000',
  BOTEL_GATEWAY_APP_REQUESTS: '2000',
  BOTEL_GATEWAY_VISITOR_SHARE: '100',
};

/** The server has no gateway of its own. */
export async function openWebAppFixture(): Promise<WebAppFixture> {
  const server = await spawnDockerServer({ BOTEL_GATEWAY_PORT: 'off', ...settings });
  const serveGateway = (port: number) =>
    serve(
      {
        BOTEL_DATA_DIR: server.directory,
        BOTEL_GATEWAY_PORT: String(port),
        BOTEL_LOG_LEVEL: 'silent',
        ...settings,
      },
      { role: 'gateway' },
    );
  const gateway = await serveGateway(0);
  const gatewayPort = Number(/\d+$/.exec(gateway.url)?.[0]);
  const fixture: WebAppFixture = {
    server,
    gateway,
    gatewayPort,
    way: http1(gatewayPort),
    async restartGateway() {
      fixture.gateway = await serveGateway(gatewayPort);
    },
    async [Symbol.asyncDispose]() {
      await fixture.gateway.end('SIGTERM');
      await server[Symbol.asyncDispose]();
    },
  };
  return fixture;
}

const bots: Record<string, Omit<NewBot, 'name'> & { sources: string[] }> = {
  nodejs: { language: 'nodejs', command: 'node bot.js', sources: ['bot.js', 'package.json'], memory: 256 },
  python: { language: 'python', command: 'python bot.py', sources: ['bot.py'], memory: 256 },
  // A build needs the processors.
  go: { language: 'go', command: 'go run .', sources: ['main.go', 'go.mod'], memory: 1024 },
};

export const webLanguages = Object.keys(bots);

/** Starts the web bot of a language as the app `name`; resolves when it listens. */
export async function startWebApp(
  client: BotelClient,
  name: string,
  language = 'nodejs',
): Promise<{ botId: string; host: string }> {
  const { sources, ...bot } = bots[language]!;
  const read = (file: string) => readFileSync(join(import.meta.dirname, 'web-bots', file), 'utf8');
  const files = Object.fromEntries(sources.map((file) => [file, read(file)]));
  const botId = await createBot(client, { ...bot, name, files });
  await client.call('POST', '/apps/create', { bot_id: botId, name });
  await client.lifecycle('start', botId);
  await waitForLine(client, botId, ({ text }) => text === 'listening', { withinMs: 300_000 });
  return { botId, host: `${name}.apps.localhost` };
}

/** A proxy in front of the fixture, by TLS. */
export interface Front extends AsyncDisposable {
  port: number;
  /** PEM of who signed its certificates. */
  ca: string;
  way: WayIn;
}

export const publicHost = 'botel.localhost';

/** Caddy as `up --tls` starts it. */
export async function startCaddy({ server, gatewayPort }: WebAppFixture): Promise<Front & { httpPort: number }> {
  const program = await installCaddy(() => {});
  const [port, httpPort] = [await freePort(), await freePort()];
  const { environment } = planCaddy({
    publicUrl: `https://${publicHost}:${port}`,
    tlsCertificates: 'auto',
    httpsPort: port,
    httpPort,
    trustedProxies: ['127.0.0.1'],
    apiPort: Number(new URL(server.url).port),
    gatewayPort,
  });
  const caddy = await CaddyProcess.start({
    program,
    dataDirectory: server.directory,
    environment,
    port,
    report: (text) => process.stderr.write(`${text}\n`),
  });
  const ca = readFileSync(join(server.directory, 'caddy/pki/authorities/local/root.crt'), 'utf8');
  return { port, httpPort, ca, way: http2(port, ca), [Symbol.asyncDispose]: () => caddy.stop() };
}

/** nginx with packaging/nginx/botel.conf, in which only names, ports and files are other ones. */
export async function startNginx({ server, gatewayPort }: WebAppFixture): Promise<Front> {
  if (spawnSync('/usr/sbin/nginx', ['-v']).error) await installPackages(['nginx-light']);
  const directory = join(server.directory, 'nginx');
  mkdirSync(directory);
  const [port, httpPort] = [await freePort(), await freePort()];
  const ca = selfSigned(directory);
  const site = readFileSync(checkoutPath('packaging/nginx/botel.conf'), 'utf8')
    .replaceAll('botel.example.com', publicHost)
    .replaceAll('apps.example.com', 'apps.localhost')
    .replaceAll('/etc/ssl/botel/', `${directory}/`)
    .replaceAll('127.0.0.1:8080', new URL(server.url).host)
    .replaceAll('127.0.0.1:8081', `127.0.0.1:${gatewayPort}`)
    .replaceAll(/listen \[::\].*\n/g, '\n')
    .replaceAll('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('listen 80', `listen 127.0.0.1:${httpPort}`);
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = places.map((place) => `${place}_temp_path ${directory}/${place};`).join('\n');
  const main = `daemon off; user root; pid ${directory}/pid; error_log stderr; events {}\nhttp { access_log off; ${temporary}\n${site}}`;
  writeFileSync(join(directory, 'nginx.conf'), main);
  const nginx = spawn('/usr/sbin/nginx', ['-p', directory, '-c', `${directory}/nginx.conf`, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await until(async () => {
    if (nginx.exitCode !== null) throw new Error(`nginx ended with ${nginx.exitCode}`);
    return (await portState(port, '127.0.0.1')) === 'taken';
  });
  return {
    port,
    ca,
    way: http2(port, ca),
    async [Symbol.asyncDispose]() {
      const gone = once(nginx, 'exit');
      nginx.kill('SIGTERM');
      await gone;
    },
  };
}

/** A certificate for all names, which signs itself. */
function selfSigned(directory: string): string {
  const names = `subjectAltName=DNS:${publicHost},DNS:*.apps.localhost`;
  const files = ['-keyout', `${directory}/privkey.pem`, '-out', `${directory}/fullchain.pem`];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const { status, stderr } = spawnSync(
    'openssl',
    ['req', '-x509', ...kind, '-subj', '/CN=test', '-addext', names, ...files],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`);
  return readFileSync(`${directory}/fullchain.pem`, 'utf8');
}

/** A port that nobody had a moment ago; not one that connections of others take by themselves. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if ((await portState(port)) === 'free') return port;
  }
}

/** Whether a TCP connection is taken. */
export async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]);
  socket.destroy();
  return outcome;
}
