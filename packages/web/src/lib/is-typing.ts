// Tells keys that are typed into something from keys that command the page.

/** Whether a key belongs to what has the focus: a field, or a dialog. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, textarea, select, [contenteditable], [role=dialog]') !== null
  );
}
