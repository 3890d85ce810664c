// The gateway beside Caddy and nginx, all three in front of the same server, in turn: requests per
// second, the slowest percent, processor time, memory with idle WebSockets; and what a change of a
// route costs with a thousand of them.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { installPackages } from '../packages/server/src/core/lib/apt-get.ts';
import { runProgram } from '../packages/server/src/core/lib/program.ts';
import { installCaddy } from '../packages/server/src/cli/setup/install-caddy.ts';
import { Child } from './child.ts';
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import { cpuMs, memoryMb } from './process-figures.ts';
import { type GatewayOrder, hostOf, type OpenGateway } from './proxies/gateway-host.ts';
import type { WebSocketOrder } from './proxies/idle-web-sockets.ts';
import { startBackend, startCaddyProxy, startNginxProxy, type WebServer } from './proxies/servers.ts';
import { type WrkResult, wrk } from './proxies/wrk.ts';
import { measureRouteChange } from './route-change.ts';
import { median } from './statistics.ts';

const routes = 1000;
const changes = 200;
const rounds = 10;
const load = { connections: 32, seconds: 2 };
const warmUp = { connections: 32, seconds: 3 };
const webSockets = 1000;
const restMs = 2000;

/** What one round gave. */
interface Sample extends WrkResult {
  /** Processor time per request, in µs. */
  cpuMicros: number;
}

/** One of the three in front of the server. */
interface Side {
  server: Pick<WebServer, 'name' | 'port' | 'pids'>;
  samples: Sample[];
}

export async function measureGateway(environment: Ground): Promise<Finding[]> {
  await installPrograms();
  const folder = join(environment.directory, 'proxies');
  return [
    ...(await measureRequests(folder)),
    ...(await measureWebSockets(folder)),
    ...(await measureRouteChange(environment)),
  ];
}

async function installPrograms(): Promise<void> {
  await installCaddy((text) => console.log(`   ${text}`));
  for (const [program, name] of [
    ['/usr/sbin/nginx', 'nginx-light'],
    ['/usr/bin/wrk', 'wrk'],
  ] as const)
    await runProgram(program, ['-v']).catch((error) => (error.missing ? installPackages([name]) : undefined));
}

async function measureRequests(folder: string): Promise<Finding[]> {
  await using backend = await startBackend(folder);
  await using caddy = await startCaddyProxy(folder, backend.port);
  await using nginx = await startNginxProxy(folder, backend.port);
  using host = new Child<GatewayOrder, OpenGateway>('proxies/gateway-host.ts');
  const { port, changeMs } = await host.ask({ backendPort: backend.port, routes, changes });
  const gateway = { name: 'gateway', port, pids: () => [host.pid] };
  const sides: Side[] = [gateway, caddy, nginx].map((server) => ({ server, samples: [] }));
  for (const { server } of sides) await wrk(server.port, hostOf(0), warmUp);
  for (let round = 0; round < rounds; round++)
    for (const side of sides) side.samples.push(await sample(side.server, hostOf(round)));
  return [
    ...compare(sides),
    {
      what: `a change of the table of ${routes} routes, ms of the process`,
      samples: changes,
      botel: changeMs,
      beside: null,
      aim: { atMost: 20 },
    },
  ];
}

async function sample(server: Side['server'], host: string): Promise<Sample> {
  const before = cpuOf(server);
  const result = await wrk(server.port, host, load);
  return { ...result, cpuMicros: ((cpuOf(server) - before) * 1000) / result.requests };
}

function cpuOf(server: Side['server']): number {
  return server.pids().reduce((sum, pid) => sum + cpuMs(pid), 0);
}

/** The gateway beside Caddy; nginx in the note. */
function compare(sides: Side[]): Finding[] {
  const figures: [keyof Sample, string, Finding['aim']][] = [
    ['perSecond', 'gateway, requests/s', { atLeast: 1 }],
    ['p99Ms', 'gateway, p99 of a request, ms', { atMost: 1 }],
    ['cpuMicros', 'gateway, processor time per request, µs', { atMost: 1 }],
  ];
  return figures.map(([figure, what, aim]) => {
    const [botel = 0, caddy = 0, nginx = 0] = sides.map(({ samples }) => median(samples.map((each) => each[figure])));
    const note = `nginx: ${nginx.toPrecision(3)}, ratio ${(botel / nginx).toFixed(2)}; ${load.connections} connections`;
    return { what, samples: rounds, botel, beside: { name: 'Caddy', value: caddy }, aim, note };
  });
}

async function measureWebSockets(folder: string): Promise<Finding[]> {
  using visitors = new Child<WebSocketOrder, number>('proxies/idle-web-sockets.ts');
  const backendPort = await visitors.ask({ kind: 'serve' });
  await using caddy = await startCaddyProxy(folder, backendPort);
  await using nginx = await startNginxProxy(folder, backendPort);
  using host = new Child<GatewayOrder, OpenGateway>('proxies/gateway-host.ts');
  const { port } = await host.ask({ backendPort, routes: 1, changes: 0 });
  const added: number[] = [];
  for (const server of [{ port, pids: () => [host.pid] }, caddy, nginx]) {
    const open = (count: number) => visitors.ask({ kind: 'open', port: server.port, host: hostOf(0), count });
    // What the first ones cost is no matter of their number.
    await open(10);
    await delay(restMs);
    const before = memoryOf(server);
    if ((await open(webSockets)) !== webSockets) throw new Error('WebSockets are missing');
    await delay(restMs);
    added.push(memoryOf(server) - before);
    await open(0);
  }
  const [botel = 0, besideCaddy = 0, besideNginx = 0] = added;
  return [
    {
      what: `memory added by ${webSockets} idle WebSockets, MB`,
      samples: 1,
      botel,
      beside: { name: 'Caddy', value: besideCaddy },
      aim: { atMost: 1 },
      note: `nginx: ${besideNginx.toPrecision(3)}`,
    },
  ];
}

function memoryOf({ pids }: Pick<WebServer, 'pids'>): number {
  return pids().reduce((sum, pid) => sum + memoryMb(pid, 'VmRSS'), 0);
}
