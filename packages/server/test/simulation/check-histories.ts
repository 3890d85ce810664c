// Lives random histories with faults before and after every effect, death of the process between
// any two steps, and an engine that comes and goes. A history that fails is shrunk, and its seed
// printed.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { World } from './world.ts';

export const actions = 40;
const root = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Rejects with the first history that breaks a promise. */
export async function checkHistories(seeds: number[]): Promise<void> {
  for (const seed of seeds) {
    if (process.env.SIM_VERBOSE) console.log(seed);
    const failed = await attempt(seed, actions);
    if (!failed) continue;
    let least = { count: actions, ...failed };
    for (let count = 1; count < actions; count++) {
      const shorter = await attempt(seed, count);
      if (!shorter) continue;
      least = { count, ...shorter };
      break;
    }
    const text = `seed ${seed}, ${least.count} actions:\n  ${least.history.join('\n  ')}\n${(least.error as Error).stack}`;
    assert.fail(text);
  }
}

async function attempt(seed: number, count: number): Promise<{ error: unknown; history: string[] } | null> {
  const directory = mkdtempSync(join(root, 'botel-sim-'));
  const world = new World(seed, directory);
  try {
    await world.live(count);
    await world.rest();
    return null;
  } catch (error) {
    return { error, history: world.history };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
