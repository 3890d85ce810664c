// Keeps the log scrolled to its end while the user follows, and holds the store while they have
// scrolled away, selected text or paused. Lives outside of components.
import { ValueStore } from '../lib/value-store.ts';
import type { LineStore } from './line-store.ts';

/** Within this many pixels of the end the view follows. */
const nearEnd = 40;
/** Maximum number of frames until a loaded row is rendered. */
const maxFrames = 30;

export class LogScroller {
  readonly #store: LineStore;
  #box: HTMLElement | null = null;
  readonly isFollowing = new ValueStore(true);
  readonly isPaused = new ValueStore(false);

  constructor(store: LineStore) {
    this.#store = store;
  }

  /** `box` scrolls its only child. Returns the cleanup. */
  readonly attach = (box: HTMLElement): (() => void) => {
    this.#box = box;
    const content = box.firstElementChild as HTMLElement;
    let lastTop = box.scrollTop;
    const onScroll = () => {
      const rest = box.scrollHeight - box.clientHeight - box.scrollTop;
      if (rest <= nearEnd) this.#follow(true);
      else if (box.scrollTop < lastTop) this.#follow(false);
      lastTop = box.scrollTop;
    };
    const onSelectionChange = () => {
      const selection = document.getSelection();
      const isInside = selection !== null && !selection.isCollapsed && selection.containsNode(content, true);
      if (isInside) this.#store.hold('selection');
      else this.#store.release('selection');
    };
    // Chunks get their real height only when they become visible.
    const observer = new ResizeObserver(this.#stick);
    observer.observe(content);
    observer.observe(box);
    box.addEventListener('scroll', onScroll, { passive: true });
    document.addEventListener('selectionchange', onSelectionChange);
    return () => {
      observer.disconnect();
      box.removeEventListener('scroll', onScroll);
      document.removeEventListener('selectionchange', onSelectionChange);
      this.#store.release('selection');
      this.#box = null;
    };
  };

  /** Scrolls to the end and follows. */
  toEnd(): void {
    document.getSelection()?.removeAllRanges();
    if (this.isPaused.get()) this.togglePause();
    this.#follow(true);
    requestAnimationFrame(() => requestAnimationFrame(this.#stick));
  }

  /** Stops following. */
  letGo(): void {
    this.#follow(false);
  }

  togglePause(): void {
    const isPaused = !this.isPaused.get();
    this.isPaused.set(isPaused);
    if (isPaused) this.#store.hold('paused');
    else this.#store.release('paused');
  }

  /** Scrolls to the row once it is rendered. */
  goTo(seq: number): void {
    this.letGo();
    let frames = 0;
    const tryScroll = () => {
      const row = this.#box?.querySelector(`[data-seq="${seq}"]`);
      if (row) row.scrollIntoView({ block: 'center' });
      else if (++frames < maxFrames) requestAnimationFrame(tryScroll);
    };
    tryScroll();
  }

  /** Runs `change`, which prepends rows, and keeps the scroll position. */
  async keepPosition(change: () => Promise<void>): Promise<void> {
    const box = this.#box;
    const anchor = box && firstVisibleRow(box);
    const before = anchor?.getBoundingClientRect().top ?? 0;
    this.letGo();
    await change();
    requestAnimationFrame(() => {
      if (box && anchor?.isConnected) box.scrollTop += anchor.getBoundingClientRect().top - before;
    });
  }

  #follow(next: boolean): void {
    this.isFollowing.set(next);
    if (next) this.#store.release('scrolled');
    else this.#store.hold('scrolled');
  }

  readonly #stick = (): void => {
    if (this.#box && this.isFollowing.get() && !this.#store.held) this.#box.scrollTop = this.#box.scrollHeight;
  };
}

function firstVisibleRow(box: HTMLElement): Element | null {
  const top = box.getBoundingClientRect().top;
  for (const row of box.querySelectorAll('[data-seq]')) if (row.getBoundingClientRect().bottom > top) return row;
  return null;
}
