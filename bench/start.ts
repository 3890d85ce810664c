// From the call to start a bot to its first line at a client that already listens; beside it the
// raw engine's create, start and first line with the same container. And the same call for a bot
// whose project is built already, beside a bot that needs no build.
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import type { Product } from './product.ts';
import { RawContainers } from './raw-containers.ts';
import { median } from './statistics.ts';

const rounds = 24;
/** The program itself takes next to no time. */
const command = 'echo up; exec sleep 100000';

/** A project with a dependency that lies in it: its build asks no registry. */
const project = {
  'package.json': JSON.stringify({ name: 'bench', version: '1.0.0', dependencies: { words: 'file:./words' } }),
  'package-lock.json': JSON.stringify({
    name: 'bench',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'bench', version: '1.0.0', dependencies: { words: 'file:./words' } },
      'node_modules/words': { resolved: 'words', link: true },
      words: { version: '1.0.0' },
    },
  }),
  'words/package.json': JSON.stringify({ name: 'words', version: '1.0.0' }),
};

export async function measureStart(environment: Ground): Promise<Finding[]> {
  const product = await environment.product();
  const botId = await product.createBot(command);
  await product.startBot(botId);
  const raw = await RawContainers.likeBot(environment, botId);
  await product.killBot(botId);
  const times = { botel: [] as number[], attach: [] as number[], logs: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.botel.push(await startOfBotel(product, botId));
    times.attach.push(await startByAttach(environment, raw));
    times.logs.push(await startByLogs(environment, raw));
  }
  await environment.close(product);
  const [attach, logs] = [median(times.attach), median(times.logs)];
  const beside =
    attach < logs
      ? { name: 'raw create, attach, start', value: attach }
      : { name: 'raw create, start, logs', value: logs };
  return [
    { what: 'start to first line, ms', samples: rounds, botel: median(times.botel), beside, aim: { atMost: 1.15 } },
  ];
}

export async function measureBuiltStart(environment: Ground): Promise<Finding[]> {
  const product = await environment.product();
  const plain = await product.createBot(command);
  const built = await product.createBot(command);
  for (const [path, content] of Object.entries(project)) await product.client.writeFile(built, path, content);
  for (const botId of [plain, built]) {
    await product.startBot(botId);
    await product.killBot(botId);
  }
  const { run: firstRun } = await product.client.bot(built);
  const times = { built: [] as number[], plain: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.built.push(await startOfBotel(product, built));
    times.plain.push(await startOfBotel(product, plain));
  }
  // The build has a run of its own, so that the first start took two.
  const { run } = await product.client.bot(built);
  if (firstRun !== 2 || run !== firstRun + rounds)
    throw new Error(`Built more than once: run ${run} after ${firstRun}`);
  await environment.close(product);
  return [
    {
      what: 'start with an unchanged build, ms',
      samples: rounds,
      botel: median(times.built),
      beside: { name: 'bot without dependencies', value: median(times.plain) },
      aim: { atMost: 1.05 },
    },
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

async function startByAttach(environment: Ground, raw: RawContainers): Promise<number> {
  const began = performance.now();
  const id = await raw.create();
  const output = await raw.attach(id);
  const [first] = await Promise.all([firstBytes(output), raw.start(id)]);
  await environment.removeContainer(id);
  return first - began;
}

async function startByLogs(environment: Ground, raw: RawContainers): Promise<number> {
  const began = performance.now();
  const id = await raw.create();
  await raw.start(id);
  const first = await firstBytes(await raw.logs(id));
  await environment.removeContainer(id);
  return first - began;
}

async function firstBytes(output: AsyncIterable<Buffer>): Promise<number> {
  for await (const bytes of output) if (bytes.length > 0) return performance.now();
  throw new Error('The program ended without a word');
}
