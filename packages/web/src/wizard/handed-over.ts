// Files chosen on another page, on their way to the wizard.
import type { OwnFiles } from './own-files.ts';

let waiting: OwnFiles | null = null;

export function handOver(files: OwnFiles): void {
  waiting = files;
}

/** Kept for an immediate remount. */
export function handedOver(): OwnFiles | null {
  return waiting;
}

export function forgetHandedOver(): void {
  waiting = null;
}
