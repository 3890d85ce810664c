// Asks before somebody leaves a page whose changes are not saved.
import { useBlocker } from '@tanstack/react-router';

/** `question` is asked while `isDirty`; for closing the tab the browser has words of its own. */
export function useLeaveGuard(isDirty: boolean, question: string): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname && !confirm(question),
    enableBeforeUnload: () => isDirty,
  });
}
