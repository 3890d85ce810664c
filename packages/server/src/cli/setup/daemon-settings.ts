// The settings of an engine that Botel installs itself. Pure; an engine that was there before keeps
// its own.

export const daemonSettingsPath = '/etc/docker/daemon.json';

/** Runtimes beside runc, by name. */
export type Runtimes = Record<string, { path: string; runtimeArgs: string[] }>;

/** Whether Botel wrote this text of daemon.json, with any runtimes in it. */
export function isOwnSettings(text: string): boolean {
  let runtimes: Runtimes | undefined;
  try {
    ({ runtimes } = JSON.parse(text) as { runtimes?: Runtimes });
  } catch {
    return false;
  }
  return text === daemonSettings(runtimes ?? {});
}

/** Text of daemon.json. Bots outlive a restart of the engine, and nothing that runs on it can fill
 * the disk with output. */
export function daemonSettings(runtimes: Runtimes = {}): string {
  const settings = {
    'live-restore': true,
    'log-driver': 'json-file',
    'log-opts': { 'max-size': '10m', 'max-file': '3' },
    ...(Object.keys(runtimes).length > 0 && { runtimes }),
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}
