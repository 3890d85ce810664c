// Offers a text that is in the page as a file to be saved.
export function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken it once the event loop turns.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
