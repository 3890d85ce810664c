// Asks before leaving a page with unsaved changes.
import { useBlocker } from '@tanstack/react-router';

/** Asks `question` while `isDirty`; on closing the tab the browser shows its own text. */
export function useLeaveGuard(isDirty: boolean, question: string): void {
  useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname && !confirm(question),
    enableBeforeUnload: () => isDirty,
  });
}
