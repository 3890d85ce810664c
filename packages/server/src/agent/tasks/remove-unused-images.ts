// Removes images with packages that no bot has needed for a while, sooner when there are many. Only
// images of this install; the engine keeps those that a container uses.
import type { Runtime } from '../../core/domain/runtime.ts';
import type { Engine } from '../engine/engine.ts';
import type { Clock } from '../../core/lib/clock.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';
import type { SettingStore } from '../../core/store/settings.ts';
import type { Task } from './driver.ts';

const everyMs = 10 * 60 * 1000;
const unusedKeptMs = 7 * 24 * 60 * 60 * 1000;
/** Owners could fill the disk by trying many sets of packages. */
const unusedMax = 16;

interface Deps {
  engine: Pick<Engine, 'findImage' | 'packageImages' | 'removeImage'>;
  bots: Pick<BotReader, 'runtimesWithPackages'>;
  settings: Pick<SettingStore, 'get' | 'set'>;
  clock: Clock;
}

/** When each image was last needed by a bot (ms), or first seen unneeded; by id. */
export type ImageUses = Record<string, number>;

export function removeUnusedImages({ engine, bots, settings, clock }: Deps): Task {
  return {
    name: 'remove-unused-images',
    everyMs,
    async run() {
      const present = await engine.packageImages();
      const needed = await imagesOf(engine, await bots.runtimesWithPackages());
      const before = JSON.parse((await settings.get('image_uses')) ?? '{}') as ImageUses;
      const { uses, expired } = judge(present, needed, before, clock.now());
      await settings.set('image_uses', JSON.stringify(uses));
      for (const id of expired) await engine.removeImage(id);
    },
  };
}

async function imagesOf(engine: Deps['engine'], runtimes: Runtime[]): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const runtime of runtimes) {
    const id = await engine.findImage(runtime);
    if (id !== null) ids.add(id);
  }
  return ids;
}

/** Which of the `present` images to remove, and the updated uses of all of them. */
export function judge(
  present: readonly string[],
  needed: ReadonlySet<string>,
  before: ImageUses,
  now: number,
): { uses: ImageUses; expired: string[] } {
  const uses: ImageUses = {};
  for (const id of present) uses[id] = needed.has(id) ? now : (before[id] ?? now);
  const unused = present.filter((id) => !needed.has(id)).toSorted((a, b) => usedAt(b) - usedAt(a));
  const expired = unused.filter((id, place) => place >= unusedMax || now - usedAt(id) > unusedKeptMs);
  return { uses, expired };

  function usedAt(id: string): number {
    return uses[id] ?? now;
  }
}
