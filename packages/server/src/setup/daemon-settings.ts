// The settings of an engine that Botel installs itself. Pure; an engine that was there before keeps its own.

export const daemonSettingsPath = '/etc/docker/daemon.json';

/** Text of daemon.json. Bots outlive a restart of the engine, and nothing that runs on it can fill the disk with output. */
export function daemonSettings(): string {
  const settings = {
    'live-restore': true,
    'log-driver': 'json-file',
    'log-opts': { 'max-size': '10m', 'max-file': '3' },
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}
