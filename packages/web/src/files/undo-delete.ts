// Deletes files with undo: they are hidden at once and deleted 10 s later, or when the page closes.
import { toastError, toastUndo } from '../kit/toast.tsx';
import { ValueStore } from '../lib/value-store.ts';
import { t } from '../texts/text.ts';
import { deleteFiles } from './files-api.ts';

const undoMs = 10_000;

interface Waiting {
  botId: string;
  paths: string[];
  timer: ReturnType<typeof setTimeout>;
  onDone: () => void;
}

const waiting = new Set<Waiting>();

/** `<bot>/<path>` of pending deletions. */
export const hiddenPaths = new ValueStore<ReadonlySet<string>>(new Set());

export function hiddenKey(botId: string, path: string): string {
  return `${botId}/${path}`;
}

/** `onDone` runs when the server has deleted it or refused. */
export function deleteWithUndo(botId: string, paths: string[], onDone: () => void): void {
  const each: Waiting = { botId, paths, onDone, timer: setTimeout(() => void finish(each), undoMs) };
  waiting.add(each);
  showHidden();
  const text = t('files.deleted', { count: paths.length, name: paths[0]?.split('/').at(-1) ?? '' });
  toastUndo(text, { label: t('action.undo'), act: () => forget(each) }, undoMs);
}

/** Deletes now: before the same names are used again. */
export async function finishDeletes(): Promise<void> {
  await Promise.all([...waiting].map((each) => finish(each)));
}

async function finish(each: Waiting, atEnd = false): Promise<void> {
  if (!waiting.has(each)) return;
  clearTimeout(each.timer);
  try {
    await deleteFiles(each.botId, each.paths, atEnd);
  } catch (error) {
    toastError(error);
  }
  // Refetches first, so that nothing deleted reappears for a moment.
  each.onDone();
  setTimeout(() => forget(each), 500);
}

function forget(each: Waiting): void {
  clearTimeout(each.timer);
  waiting.delete(each);
  showHidden();
}

function showHidden(): void {
  hiddenPaths.set(new Set([...waiting].flatMap(({ botId, paths }) => paths.map((path) => hiddenKey(botId, path)))));
}

addEventListener('pagehide', () => {
  for (const each of waiting) void finish(each, true);
});
