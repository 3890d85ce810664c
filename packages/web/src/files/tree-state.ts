// Which folders of a bot's tree are open, and where its keys are; kept while other pages are shown.
import { ValueStore } from '../lib/value-store.ts';
import { foldersAbove } from './file-kinds.ts';

export class TreeState {
  /** Paths; '' is the home. */
  readonly open = new ValueStore<ReadonlySet<string>>(new Set(['']));
  /** Path of the row that the keyboard was at last. */
  readonly active = new ValueStore('');
  /** On phones, where the tree is away until it is asked for. */
  readonly isShown = new ValueStore(false);

  turn(path: string, isOpen: boolean): void {
    const open = new Set(this.open.get());
    if (open.has(path) === isOpen) return;
    if (isOpen) open.add(path);
    else open.delete(path);
    this.open.set(open);
  }

  /** A folder has another path now; it and those in it stay as open as they are. */
  moved(from: string, to: string): void {
    const isIn = (path: string) => path === from || path.startsWith(`${from}/`);
    const next = Array.from(this.open.get(), (path) => (isIn(path) ? to + path.slice(from.length) : path));
    this.open.set(new Set(next));
  }

  /** Opens all that a path is in, and goes there. */
  reveal(path: string): void {
    for (const folder of foldersAbove(path)) this.turn(folder, true);
    this.active.set(path);
  }
}

const all = new Map<string, TreeState>();

export function treeStateOf(botId: string): TreeState {
  let state = all.get(botId);
  if (!state) {
    state = new TreeState();
    all.set(botId, state);
  }
  return state;
}
