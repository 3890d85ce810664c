// Adds the sandbox to the settings of an engine that Botel installed, and reloads the engine.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { daemonSettings, daemonSettingsPath, isOwnSettings } from './daemon-settings.ts';
import { findSandbox, installSandbox, registrationAdvice, type RuntimeEntry, sandboxName } from './sandbox.ts';

export interface RegisterOptions {
  /** Whether the engine knows the runtime. */
  isKnown(): Promise<boolean>;
  progress(text: string): void;
  /** For tests. */
  places?: SandboxPlaces;
}

interface SandboxPlaces {
  settingsFile: string;
  pidFile: string;
  /** As in /proc/<pid>/comm. */
  engineName: string;
  find(): Promise<RuntimeEntry | null>;
}

const usualPlaces: SandboxPlaces = {
  settingsFile: daemonSettingsPath,
  pidFile: '/var/run/docker.pid',
  engineName: 'dockerd',
  find: findSandbox,
};

const patienceMs = 15_000;
const pollMs = 100;

/** Resolves when the engine knows the sandbox. Rejects with an Error that advises the operator. */
export async function registerSandbox({ isKnown, progress, places = usualPlaces }: RegisterOptions): Promise<void> {
  if (await isKnown()) return;
  const settings = await readFile(places.settingsFile, 'utf8').catch(() => '');
  if (!isOwnSettings(settings)) throw refusal(await places.find());
  if (!(await places.find())) await installSandbox(progress);
  const entry = await places.find();
  if (!entry) throw refusal(entry);
  progress(`Adding the runtime ${sandboxName} to the Docker engine (${entry.runtimeArgs.join(' ')})`);
  const { runtimes } = JSON.parse(settings) as { runtimes?: Record<string, RuntimeEntry> };
  await writeFile(`${places.settingsFile}.new`, daemonSettings({ ...runtimes, [sandboxName]: entry }));
  await rename(`${places.settingsFile}.new`, places.settingsFile);
  process.kill(await processOf(places), 'SIGHUP');
  const giveUpAt = performance.now() + patienceMs;
  while (!(await isKnown())) {
    if (performance.now() > giveUpAt) throw new Error(`The Docker engine did not accept ${sandboxName}: restart it`);
    await pause(pollMs);
  }
}

function refusal(entry: RuntimeEntry | null): Error {
  return new Error(`The Docker engine has no runtime ${sandboxName}. ${registrationAdvice(entry)}`);
}

async function processOf({ pidFile, engineName }: SandboxPlaces): Promise<number> {
  const processId = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  const name = await readFile(`/proc/${processId}/comm`, 'utf8').catch(() => '');
  if (name.trim() === engineName) return processId;
  throw new Error(`Cannot find the Docker engine's process (${pidFile}): restart the engine to add ${sandboxName}`);
}
