// From the call to start a bot to its first line at a client that already listens; beside it the raw engine's create,
// start and first line with the same container.
import type { Finding } from './finding.ts';
import type { Ground } from './ground.ts';
import type { Product } from './product.ts';
import { RawContainers } from './raw-containers.ts';
import { median } from './statistics.ts';

const rounds = 24;
/** The program itself takes next to no time. */
const command = 'echo up; exec sleep 100000';

export async function measureStart(ground: Ground): Promise<Finding[]> {
  const product = await ground.product();
  const botId = await product.createBot(command);
  await product.startBot(botId);
  const raw = await RawContainers.likeBot(ground, botId);
  await product.killBot(botId);
  const times = { botel: [] as number[], attach: [] as number[], logs: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.botel.push(await startOfBotel(product, botId));
    times.attach.push(await startByAttach(ground, raw));
    times.logs.push(await startByLogs(ground, raw));
  }
  await ground.close(product);
  const [attach, logs] = [median(times.attach), median(times.logs)];
  const beside =
    attach < logs
      ? { name: 'raw create, attach, start', value: attach }
      : { name: 'raw create, start, logs', value: logs };
  return [
    { what: 'start to first line, ms', samples: rounds, botel: median(times.botel), beside, aim: { atMost: 1.15 } },
  ];
}

async function startOfBotel(product: Product, botId: string): Promise<number> {
  const closing = new AbortController();
  const events = product.client.logStream(botId, 'tail=0', closing.signal);
  // The first event says that the stream is open.
  await events.next();
  const began = performance.now();
  await product.client.lifecycle('start', botId);
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error('The log stream ended');
    if (value.event === 'log' && (value.data as { stream: string }).stream === 'stdout') break;
  }
  const took = performance.now() - began;
  closing.abort();
  await events.next().catch(() => undefined);
  await product.reaches(botId, 'online');
  await product.killBot(botId);
  return took;
}

async function startByAttach(ground: Ground, raw: RawContainers): Promise<number> {
  const began = performance.now();
  const id = await raw.create();
  const output = await raw.attach(id);
  const [first] = await Promise.all([firstBytes(output), raw.start(id)]);
  await ground.removeContainer(id);
  return first - began;
}

async function startByLogs(ground: Ground, raw: RawContainers): Promise<number> {
  const began = performance.now();
  const id = await raw.create();
  await raw.start(id);
  const first = await firstBytes(await raw.logs(id));
  await ground.removeContainer(id);
  return first - began;
}

async function firstBytes(output: AsyncIterable<Buffer>): Promise<number> {
  for await (const bytes of output) if (bytes.length > 0) return performance.now();
  throw new Error('The program ended without a word');
}
