// SIGKILL of the engine under 100 bots, and its start: how long until all desired ones are
// online again, beside how fast the same engine makes and starts the same containers without Botel.
// On an engine of its own, without live-restore.
import { availableParallelism } from 'node:os';
import type { BotData } from '@botel/contract/bots';
import { Semaphore } from '../packages/server/src/core/lib/semaphore.ts';
import { copyRuntimeImages } from '../test/docker/own-engine-server.ts';
import { OwnEngine } from '../test/docker/own-engine.ts';
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import type { Product } from './product.ts';
import { RawContainers } from './raw-containers.ts';
import { until } from './until.ts';

const bots = 100;
const resting = 5;
const command = 'sleep 1000000';
const startsAtOnce = 2 * availableParallelism();
const patient = { everyMs: 100, withinMs: 10 * 60_000 };

interface Page {
  bots: BotData[];
  next_cursor: string | null;
}

export async function measureEngineLoss(environment: Ground): Promise<Finding[]> {
  await using engine = await OwnEngine.open({ liveRestore: false });
  await copyRuntimeImages(engine);
  const product = await environment.product({ BOTEL_DOCKER_HOST: engine.host, BOTEL_FIREWALL: 'off' });
  const ids = await Promise.all(Array.from({ length: bots + resting }, () => product.createBot(command)));
  const desired = ids.slice(resting);
  for (const id of ids) await product.client.lifecycle('start', id);
  await allOnline(product, bots + resting);
  for (const id of ids.slice(0, resting)) await product.client.lifecycle('stop', id);
  await allOnline(product, bots);

  const began = performance.now();
  await engine.kill('SIGKILL');
  await engine.start({ liveRestore: false });
  const answersMs = performance.now() - began;
  const isBack = ({ status, run }: BotData) => status === 'online' && run === 2;
  await until(
    'all desired bots run again',
    async () => (await allBots(product)).filter(isBack).length === bots,
    patient,
  );
  const backMs = performance.now() - began;
  const running = (await allBots(product)).filter(({ id, status }) => !desired.includes(id) && status !== 'offline');
  if (running.length > 0) throw new Error(`${running.length} stopped bots did not stay stopped`);

  const rawInstallId = environment.rawInstallId;
  const raw = await RawContainers.likeBot({ engine: engine.client, rawInstallId }, desired[0]!);
  for (const id of ids) await product.client.lifecycle('kill', id).catch(() => null);
  await allOnline(product, 0);
  const slots = new Semaphore(startsAtOnce);
  const rawBegan = performance.now();
  await Promise.all(Array.from({ length: bots }, () => slots.run(async () => raw.start(await raw.create()))));
  const rawMs = performance.now() - rawBegan;
  await environment.close(product);
  const note = `the engine answers after ${seconds(answersMs)} s; ${resting} stopped ones stayed stopped`;
  return [
    {
      what: `SIGKILL of the engine to ${bots} bots online, s`,
      samples: 1,
      botel: backMs / 1000,
      beside: null,
      aim: { atMost: 60 },
      note,
    },
    {
      what: 'bots brought back per s, from the answer of the engine on',
      samples: 1,
      botel: bots / ((backMs - answersMs) / 1000),
      beside: { name: `raw create and start, ${startsAtOnce} at once`, value: bots / (rawMs / 1000) },
      aim: { atLeast: 0.7 },
    },
  ];
}

/** Resolves once so many are online, and the others offline. */
async function allOnline(product: Product, count: number): Promise<void> {
  const isSettled = async () => {
    const shown = await allBots(product);
    const online = shown.filter(({ status }) => status === 'online').length;
    return online === count && shown.every(({ status }) => status === 'online' || status === 'offline');
  };
  await until(`${count} bots are online, the others offline`, isSettled, patient);
}

async function allBots({ client }: Product): Promise<BotData[]> {
  const all: BotData[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { data }: { data: Page } = await client.call<Page>('GET', `/bots?limit=100${query}`);
    all.push(...data.bots);
    cursor = data.next_cursor;
  }
  return all;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
