// Words about what was done. Errors stay until they are closed.
import { toast } from 'sonner';
import { errorText, explanationOf } from './states.tsx';

export function tellDone(text: string): void {
  toast.success(text);
}

export function tellFailed(error: unknown): void {
  toast.error(errorText(error), { description: explanationOf(error), duration: Number.POSITIVE_INFINITY });
}

/** Words with a way back, for `ms`. */
export function tellUndoable(text: string, undo: { label: string; act: () => void }, ms = 10_000): void {
  toast(text, { duration: ms, action: { label: undo.label, onClick: undo.act } });
}

/** Runs `work`; tells its message, or what went wrong. Resolves with whether it worked. */
export async function told(work: () => Promise<{ message?: string } | void>, done?: string): Promise<boolean> {
  try {
    const answer = await work();
    const text = done ?? answer?.message;
    if (text) tellDone(text);
    return true;
  } catch (error) {
    tellFailed(error);
    return false;
  }
}
