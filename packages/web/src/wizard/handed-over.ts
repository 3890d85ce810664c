// Files that were chosen on another page, on their way to the wizard.
import type { OwnFiles } from './own-files.ts';

let waiting: OwnFiles | null = null;

export function handOver(files: OwnFiles): void {
  waiting = files;
}

/** They stay for one that is drawn again at once. */
export function handedOver(): OwnFiles | null {
  return waiting;
}

export function forgetHandedOver(): void {
  waiting = null;
}
