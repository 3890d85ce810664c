// The settings of an engine that Botel installs. Pure; a preexisting engine keeps its own.

export const daemonSettingsPath = '/etc/docker/daemon.json';

/** Runtimes other than runc, by name. */
export type Runtimes = Record<string, { path: string; runtimeArgs: string[] }>;

/** Whether Botel wrote this daemon.json, with any runtimes in it. */
export function isOwnSettings(text: string): boolean {
  let runtimes: Runtimes | undefined;
  try {
    ({ runtimes } = JSON.parse(text) as { runtimes?: Runtimes });
  } catch {
    return false;
  }
  return text === daemonSettings(runtimes ?? {});
}

/** Bots survive a restart of the engine, and their output can't fill the disk. */
export function daemonSettings(runtimes: Runtimes = {}): string {
  const settings = {
    'live-restore': true,
    'log-driver': 'json-file',
    'log-opts': { 'max-size': '10m', 'max-file': '3' },
    ...(Object.keys(runtimes).length > 0 && { runtimes }),
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}
