// Paths within this checkout.
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));

/** Absolute path of something in the checkout; without an argument, of the checkout itself. */
export function checkoutPath(relative = ''): string {
  return root + relative;
}
