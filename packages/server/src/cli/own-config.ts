// The configuration that a command of the operator runs with: of the environment and the checkout's
// file.
import { checkoutPath } from '../core/lib/checkout.ts';
import { type Config, loadConfig } from '../core/config/config.ts';
import { processEnvironment } from '../core/config/env.ts';

/** Relative paths are below the checkout. Throws SettingsError. */
export function ownConfig(): Config {
  return loadConfig(processEnvironment(checkoutPath()), checkoutPath());
}
