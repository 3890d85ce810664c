// Tells typing from keyboard shortcuts.

/** Whether the focused element, a field or a dialog, handles the key. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null
  );
}
