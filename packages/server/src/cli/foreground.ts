// Shared by foreground processes: the log, the line about apps, the end by signal.
import { type Logger, pino } from 'pino';
import type { Config } from '../core/config/config.ts';
import { plainLog } from './plain-log.ts';

export function printApps(address: string | null): void {
  if (address !== null) console.log(`Apps are served on ${address}`);
}

/** Resolves when `end`, called on SIGINT or SIGTERM, is done; a second signal exits at once. */
export function endWithSignal(end: (signal: NodeJS.Signals) => Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onSignal = (signal: NodeJS.Signals) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.removeAllListeners(name);
      process.once(name, () => process.exit(130));
    }
    end(signal).then(resolve, reject);
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  return promise;
}

/** Call after a clean stop: steps that it left to the next start must not keep the process. */
export function exitSoon(): void {
  setTimeout(() => process.exit(), 500).unref();
}

export function loggerOf({ logLevel }: Config): Logger {
  return pino({ level: logLevel }, process.stderr.isTTY ? plainLog : pino.destination(2));
}
