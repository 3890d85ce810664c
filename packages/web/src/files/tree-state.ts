// Which folders of a bot's tree are open and which row has the focus; kept while other pages are
// shown.
import { ValueStore } from '../lib/value-store.ts';
import { foldersAbove } from './file-kinds.ts';

export class TreeState {
  /** Paths; '' is the home. */
  readonly open = new ValueStore<ReadonlySet<string>>(new Set(['']));
  /** Path of the row last focused. */
  readonly active = new ValueStore('');
  /** On phones, where the tree is hidden until requested. */
  readonly isShown = new ValueStore(false);

  turn(path: string, isOpen: boolean): void {
    const open = new Set(this.open.get());
    if (open.has(path) === isOpen) return;
    if (isOpen) open.add(path);
    else open.delete(path);
    this.open.set(open);
  }

  /** Follows a moved folder, keeping open state. */
  moved(from: string, to: string): void {
    const isIn = (path: string) => path === from || path.startsWith(`${from}/`);
    const next = Array.from(this.open.get(), (path) => (isIn(path) ? to + path.slice(from.length) : path));
    this.open.set(new Set(next));
  }

  /** Opens all parents of a path and focuses it. */
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
