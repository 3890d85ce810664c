// Copies a text to the clipboard, also without https, where scripts have no clipboard API.

/** Resolves with whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  // The only way without https.
  const worked = document.execCommand('copy');
  area.remove();
  return worked;
}
