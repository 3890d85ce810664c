// From the answer to a change of an app until the gateway serves it so, with a thousand apps: the
// gateway in the server's process, and in one of its own. Both look before each request.
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { checkoutPath } from '../packages/server/src/core/lib/checkout.ts';
import { runProgram, startProgram } from '../packages/server/src/core/lib/program.ts';
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import { email, type Product } from './product.ts';
import { median, percentile } from './statistics.ts';

const apps = 1000;
const changes = 30;
const patienceMs = 10_000;

export async function measureRouteChange(environment: Ground): Promise<Finding[]> {
  const inside = await freePort();
  const alone = await freePort();
  const product = await environment.product({ BOTEL_ENGINE: 'fake', BOTEL_GATEWAY_PORT: String(inside) });
  const ids = await createApps(product);
  const ending = new AbortController();
  const gateway = startProgram(
    process.execPath,
    [checkoutPath('packages/server/src/main.ts'), 'serve', '--role', 'gateway'],
    {
      environment: {
        BOTEL_ENGINE: 'fake',
        BOTEL_DATA_DIR: product.dataDirectory,
        BOTEL_GATEWAY_PORT: String(alone),
        BOTEL_LOG_LEVEL: 'silent',
      },
      signal: ending.signal,
    },
  );
  gateway.stdout.resume();
  const times: Record<'inside' | 'alone', number[]> = { inside: [], alone: [] };
  await untilServed(alone, 'app-0');
  for (let change = 0; change < changes; change++) {
    const name = `renamed-${change}`;
    await product.client.call('POST', '/apps/update', { app_id: ids[change], name });
    const began = performance.now();
    const served = (port: number) => untilServed(port, name).then(() => performance.now() - began);
    const [here, there] = await Promise.all([served(inside), served(alone)]);
    times.inside.push(here);
    times.alone.push(there);
  }
  ending.abort();
  await gateway.ended.catch(() => undefined);
  await environment.close(product);
  return (['inside', 'alone'] as const).map((place) => ({
    what: `a change of one of ${apps} apps until it is served, gateway ${place === 'inside' ? 'of the server' : 'of its own process'}, ms`,
    samples: changes,
    botel: median(times[place]),
    beside: null,
    aim: { atMost: 100 },
    note: `p90 ${percentile(times[place], 0.9).toFixed(0)}`,
  }));
}

/** Ids of the apps `app-0`, `app-1` and so on; their bots do not run. */
async function createApps(product: Product): Promise<string[]> {
  const plan = ['--memory', '1000000', '--bots', String(apps), '--apps', String(apps)];
  const command = [checkoutPath('packages/server/src/main.ts'), 'admin', 'user', 'set-plan', email, ...plan];
  await runProgram(process.execPath, command, { environment: { BOTEL_DATA_DIR: product.dataDirectory } });
  const ids: string[] = [];
  for (let index = 0; index < apps; index++) {
    const bot_id = await product.createBot('sleep 100000', {}, 128);
    const { data } = await product.client.call<{ id: string }>('POST', '/apps/create', {
      bot_id,
      name: `app-${index}`,
    });
    ids.push(data.id);
  }
  return ids;
}

/** An app whose bot is offline is served as such; one that is not known is 404. */
async function untilServed(port: number, name: string): Promise<void> {
  const giveUpAt = performance.now() + patienceMs;
  while ((await statusOf(port, `${name}.apps.localhost`)) !== 503) {
    if (performance.now() > giveUpAt) throw new Error(`${name} is not served on port ${port}`);
    await delay(2);
  }
}

/** Null: nobody listens. */
async function statusOf(port: number, host: string): Promise<number | null> {
  const asked = request({ host: '127.0.0.1', port, agent: false, headers: { Host: host } });
  asked.end();
  try {
    const [answer] = await once(asked, 'response');
    answer.resume();
    return answer.statusCode;
  } catch {
    return null;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
