// Requests per second of two reads that a dashboard and a sign-up form do all the time, beside a
// bare node:http server that returns the same bytes and headers.
import { type BareAnswer } from './bare-server.ts';
import { Child } from './child.ts';
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import type { Load, LoadResult } from './load-generator.ts';
import type { Product } from './product.ts';
import { median } from './statistics.ts';

const rounds = 24;
const durationMs = 400;
const warmUpMs = 3000;
const connections = 16;
/** Headers that node:http writes by itself. */
const automatic = new Set(['date', 'connection', 'keep-alive']);

interface Subject {
  what: string;
  botel: string;
  bare: string;
  rates: { botel: number[]; bare: number[] };
}

export async function measureHttp(environment: Ground): Promise<Finding[]> {
  const product = await environment.product();
  using generator = new Child<Load, LoadResult>('load-generator.ts');
  using bareServer = new Child<BareAnswer, number>('bare-server.ts');
  const botId = await product.createBot('sleep 100000');
  await product.startBot(botId);
  const subjects: Subject[] = [];
  for (const path of [`/bots/${botId}`, '/apps/check/my-shop'])
    subjects.push(await subjectOf(product, bareServer, path));
  const headers = { Authorization: `Bearer ${product.token}` };
  const rate = async (url: string, ms: number) => {
    const { perSecond, failures } = await generator.ask({ url, headers, connections, durationMs: ms });
    if (failures > 0) throw new Error(`${failures} requests to ${url} failed`);
    return perSecond;
  };
  for (const { botel, bare } of subjects) for (const url of [botel, bare]) await rate(url, warmUpMs);
  for (let round = 0; round < rounds; round++) {
    for (const { botel, bare, rates } of subjects) {
      rates.botel.push(await rate(botel, durationMs));
      rates.bare.push(await rate(bare, durationMs));
    }
  }
  await environment.close(product);
  return subjects.map(({ what, rates }) => ({
    what: `${what}, requests/s`,
    samples: rounds,
    botel: median(rates.botel),
    beside: { name: 'bare node:http', value: median(rates.bare) },
    aim: { atLeast: 0.6 },
    note: `${connections} connections`,
  }));
}

async function subjectOf(product: Product, bareServer: Child<BareAnswer, number>, path: string): Promise<Subject> {
  const answer = await product.client.fetch('GET', path);
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !automatic.has(name)));
  const port = await bareServer.ask({ headers, body: await answer.text() });
  return {
    what: path.startsWith('/bots/') ? 'GET /bots/:id' : 'GET /apps/check/:name',
    botel: `${product.url}${path}`,
    bare: `http://127.0.0.1:${port}${path}`,
    rates: { botel: [], bare: [] },
  };
}
