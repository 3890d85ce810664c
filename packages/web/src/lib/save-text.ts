// Offers a text as a file download.
export function saveText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has started the download by the next tick.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}
