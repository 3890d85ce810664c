// The way of a line from a bot to a client: lines per second at full speed, and how late a line is
// at 1,000 lines per second; beside it the engine's own `logs --follow` of the same bot.
import { readFileSync } from 'node:fs';
import { checkoutPath } from '../packages/server/src/core/lib/checkout.ts';
import { Child } from './child.ts';
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import type { Expectation, Report, Source } from './line-reader.ts';
import type { Product } from './product.ts';
import { RawContainers } from './raw-containers.ts';
import { median } from './statistics.ts';
import { until } from './until.ts';

const rounds = 20;
const burstLines = 50_000;
const steadyLines = 1000;

type Reader = Child<Source | Expectation, Report>;
type Side = 'botel' | 'raw';
type Reports = Record<Side, Report[]>;

export async function measureLogs(environment: Ground): Promise<Finding[]> {
  const product = await environment.product();
  const botId = await product.createBot('node printer.js', { ORDERS: 'orders-botel' });
  await product.client.writeFile(botId, 'printer.js', readFileSync(checkoutPath('bench/bots/printer.js')));
  await product.startBot(botId);
  const containerId = await startRaw(environment, botId);
  using botel: Reader = new Child('line-reader.ts');
  using raw: Reader = new Child('line-reader.ts');
  await botel.ask(streamOf(product, botId));
  await raw.ask(logsOf(environment, containerId));

  let order = 0;
  const round = async (side: Side, kind: 'burst' | 'steady', lines: number) => {
    const expected = { kind: 'expect', order: order++, lines } as const;
    const answer = (side === 'botel' ? botel : raw).ask(expected);
    await product.client.writeFile(botId, `orders-${side}`, `${JSON.stringify({ ...expected, kind })}\n`);
    return answer;
  };
  const bursts: Reports = { botel: [], raw: [] };
  const steadies: Reports = { botel: [], raw: [] };
  for (const side of ['botel', 'raw'] as const) await round(side, 'burst', burstLines);
  for (let count = 0; count < rounds; count++) {
    for (const side of ['botel', 'raw'] as const) {
      bursts[side].push(await round(side, 'burst', burstLines));
      steadies[side].push(await round(side, 'steady', steadyLines));
    }
  }
  await environment.removeContainer(containerId);
  await environment.close(product);
  return findingsOf(bursts, steadies);
}

function findingsOf(bursts: Reports, steadies: Reports): Finding[] {
  const name = 'engine logs, followed';
  const wrong = (reports: Report[]) => reports.reduce((sum, report) => sum + report.wrong, 0);
  const rate = (reports: Report[]) => median(reports.map(({ received, seconds }) => received / seconds));
  const late = (reports: Report[], part: 'p50' | 'p99') => median(reports.map((report) => report[part]));
  const latency = (part: 'p50' | 'p99'): Finding => ({
    what: `${part} of print to client at 1,000 lines/s, ms`,
    samples: rounds,
    botel: late(steadies.botel, part),
    beside: { name, value: late(steadies.raw, part) },
    aim: { atMost: 1 },
  });
  return [
    {
      what: 'log lines at full speed, lines/s',
      samples: rounds,
      botel: rate(bursts.botel),
      beside: { name, value: rate(bursts.raw) },
      aim: { atLeast: 1 },
      note: `${burstLines} lines a burst; wrong or missing: Botel ${wrong(bursts.botel)}, engine ${wrong(bursts.raw)}`,
    },
    latency('p50'),
    latency('p99'),
  ];
}

/** A second container of the bot's spec, with orders of its own. */
async function startRaw(environment: Ground, botId: string): Promise<string> {
  const containers = await RawContainers.likeBot(environment, botId);
  const id = await containers.create(['ORDERS=orders-raw']);
  await containers.start(id);
  await until('the raw container writes', async () => {
    const { body } = await environment.engine.request('GET', `/containers/${id}/logs?stdout=1`);
    return String(body).includes('ready');
  });
  return id;
}

function streamOf(product: Product, botId: string): Source {
  const { hostname: host, port } = new URL(product.url);
  const headers = { Authorization: `Bearer ${product.token}` };
  const target = { host, port: Number(port), path: `/bots/${botId}/logs/stream?tail=0`, headers };
  return { kind: 'open', target, framed: false };
}

function logsOf(environment: Ground, containerId: string): Source {
  const { dockerHost } = environment.config;
  const path = `/containers/${containerId}/logs?follow=1&stdout=1&stderr=1&tail=0`;
  const url = new URL(dockerHost);
  const place =
    url.protocol === 'unix:' ? { socketPath: url.pathname } : { host: url.hostname, port: Number(url.port || 2375) };
  return { kind: 'open', target: { ...place, path, headers: { Host: 'docker' } }, framed: true };
}
