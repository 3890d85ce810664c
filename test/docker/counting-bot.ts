// A bot that counts aloud, and the check that nothing of what it said is missing, doubled or out of
// order.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BotelClient } from '@botel/contract/client';
import type { DockerClient } from '../../packages/server/src/agent/engine/docker/client.ts';
import { createBot, type NewBot, storedLog } from './bots.ts';

/** Says `begin`, then `1`, `2`, … Ends with code 3 when told to; saves for a moment when it is
 * stopped. */
const program = `
const { existsSync, unlinkSync } = require('node:fs');
console.log('begin');
let count = 0;
setInterval(() => {
  console.log(String(++count));
  if (!existsSync('end')) return;
  unlinkSync('end');
  console.log('last words');
  process.exit(3);
}, 20);
process.on('SIGTERM', () => setTimeout(() => process.exit(0), 300));
`;

/** Creates it, offline; resolves with its id. */
export function createCountingBot(client: BotelClient, bot: Partial<NewBot> = {}): Promise<string> {
  return createBot(client, { command: 'node index.js', files: { 'index.js': program }, ...bot });
}

/** Makes it end by itself, without the server: `directory` is its data folder. */
export async function tellToEnd(directory: string, botId: string): Promise<void> {
  // In its image, where it has one.
  const place = join(directory, 'homes', botId);
  const hasImage = existsSync(join(directory, 'images', `${botId}.img`));
  await writeFile(join(place, hasImage ? 'home' : '', 'end'), '');
}

/**
 * Everything that it said in each of its runs is stored once and in order. Resolves with how far
 * each run counted. `mayMiss`: lines that may be missing, at one place: those that an engine had
 * read and not yet written when it was killed, which nobody can see afterwards.
 */
export async function assertCounts(
  client: BotelClient,
  botId: string,
  { mayMiss = 0 }: { mayMiss?: number } = {},
): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  let left = mayMiss;
  for (const line of await storedLog(client, botId)) {
    assert.ok(!('dropped' in line), `lines were dropped: ${JSON.stringify(line)}`);
    if (line.stream === 'system' || line.text === 'last words') continue;
    assert.equal(line.stream, 'stdout', line.text);
    const before = counts.get(line.run);
    const missing = before === undefined ? 0 : Number(line.text) - before - 1;
    if (missing > 0 && missing <= left) {
      left = 0;
      counts.set(line.run, Number(line.text));
      continue;
    }
    assert.equal(line.text, before === undefined ? 'begin' : String(before + 1), `run ${line.run} of ${botId}`);
    counts.set(line.run, before === undefined ? 0 : before + 1);
  }
  return counts;
}

/** A look at a container past the server. */
export interface Container {
  id: string;
  startedAt: string;
  running: boolean;
  run: number;
  generation: number;
}

/** All containers of a bot, whatever their names and states. */
export async function containersOfBot(engine: DockerClient, botId: string): Promise<Container[]> {
  const filters = JSON.stringify({ label: [`botel.bot=${botId}`] });
  const { body } = await engine.request('GET', '/containers/json', { query: { all: true, filters } });
  const found: Container[] = [];
  for (const { Id } of body as { Id: string }[]) {
    const { status, body: container } = await engine.request('GET', `/containers/${Id}/json`);
    if (status === 404) continue;
    const { State, Config } = container as {
      State: { StartedAt: string; Running: boolean };
      Config: { Labels: Record<string, string> };
    };
    found.push({
      id: Id,
      startedAt: State.StartedAt,
      running: State.Running,
      run: Number(Config.Labels['botel.run']),
      generation: Number(Config.Labels['botel.generation']),
    });
  }
  return found;
}

/** The one container of each bot. */
export function onlyContainers(engine: DockerClient, botIds: readonly string[]): Promise<Container[]> {
  return Promise.all(
    botIds.map(async (botId) => {
      const containers = await containersOfBot(engine, botId);
      assert.equal(containers.length, 1, `bot ${botId} has ${containers.length} containers`);
      return containers[0] as Container;
    }),
  );
}
