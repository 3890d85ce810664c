// The configuration of operator commands: from the environment and the checkout's file.
import { checkoutPath } from '../core/lib/checkout.ts';
import { type Config, loadConfig } from '../core/config/config.ts';
import { processEnvironment } from '../core/config/env.ts';

/** Relative paths start at the checkout. Throws SettingsError. */
export function ownConfig(): Config {
  return loadConfig(processEnvironment(checkoutPath()), checkoutPath());
}
