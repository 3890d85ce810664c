// Ensures that an engine answers: uses a running one, else starts or installs one where allowed.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DockerClient } from '../../agent/engine/docker/client.ts';
import type { KnownRuntimes } from '../../agent/engine/docker/oci-runtime.ts';
import { EngineError } from '../../agent/engine/engine.ts';
import { findProgram } from '../../core/lib/program.ts';
import { engineInfo } from './engine-info.ts';
import { type EngineSituation, planEngine } from './engine-plan.ts';
import { installEngine } from './install-engine.ts';
import { readOsRelease } from './os-release.ts';
import { registerSandbox } from './register-sandbox.ts';
import { sandboxName } from './sandbox.ts';
import { startEngine } from './start-engine.ts';

export interface SetUpOptions {
  /** OCI runtime of the bots; registered with the engine where possible. */
  containerRuntime: string;
  /** `unix:///…` or `tcp://…`. */
  dockerHost: string;
  /** Folder of engine.log, which gets the engine's output without systemd; created when missing. */
  dataDirectory: string;
  progress(text: string): void;
}

const pingTimeoutMs = 5_000;
const programFolders = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'];

/** Resolves when an engine with the runtime answers. Rejects with advice for the operator. */
export async function setUpEngine(options: SetUpOptions): Promise<void> {
  await makeAnswer(options);
  const { containerRuntime, dockerHost, progress } = options;
  const isKnown = async () => {
    const { Runtimes } = await engineInfo<{ Runtimes: KnownRuntimes }>(dockerHost);
    return Object.hasOwn(Runtimes, containerRuntime);
  };
  if (containerRuntime === sandboxName) await registerSandbox({ isKnown, progress });
}

async function makeAnswer({ dockerHost, dataDirectory, progress }: SetUpOptions): Promise<void> {
  const plan = planEngine(await inspectMachine(dockerHost));
  if (plan.step === 'use') return;
  if (plan.step === 'ask') throw new Error(plan.text);
  if (plan.step === 'install') await installEngine(progress);
  const answers = async () => (await askEngine(dockerHost)) === 'yes';
  if (await answers()) return;
  await mkdir(dataDirectory, { recursive: true });
  await startEngine({ answers, logFile: join(dataDirectory, 'engine.log'), progress });
}

async function inspectMachine(dockerHost: string): Promise<EngineSituation> {
  const osRelease = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return {
    dockerHost,
    answer: await askEngine(dockerHost),
    isRoot: process.getuid?.() === 0,
    isInstalled: (await findProgram('dockerd', programFolders)) !== null,
    distribution: readOsRelease(osRelease),
  };
}

/** Asks the engine itself: a docker command on the path proves nothing. */
export async function askEngine(dockerHost: string): Promise<EngineSituation['answer']> {
  const client = new DockerClient(dockerHost);
  try {
    const { status } = await client.request('GET', '/_ping', { timeoutMs: pingTimeoutMs });
    return status === 200 ? 'yes' : 'no';
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EACCES' ? 'denied' : 'no';
  } finally {
    await client.close();
  }
}
