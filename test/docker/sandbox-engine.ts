// A Docker engine of the test's own that has gVisor's `runsc` beside runc, as `botel up` gives it
// to an engine that it installed.
import type { Language } from '@botel/contract/vocabulary';
import { registerSandbox } from '../../packages/server/src/cli/setup/register-sandbox.ts';
import { findSandbox, installSandbox, sandboxName } from '../../packages/server/src/cli/setup/sandbox.ts';
import { OwnEngine } from './own-engine.ts';
import { copyRuntimeImages } from './own-engine-server.ts';

/** Installs the sandbox where it is missing. It is lost when the engine is started anew. */
export async function openSandboxEngine(languages: Language[]): Promise<OwnEngine> {
  const engine = await OwnEngine.open({ liveRestore: true });
  try {
    await copyRuntimeImages(engine, languages);
    const progress = (text: string) => console.log(text);
    if (!(await findSandbox())) await installSandbox(progress);
    const places = { ...engine.places, engineName: 'dockerd', find: findSandbox };
    await registerSandbox({ isKnown: () => knowsSandbox(engine), progress, places });
    return engine;
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw error;
  }
}

async function knowsSandbox({ client }: OwnEngine): Promise<boolean> {
  const { body } = await client.request('GET', '/info');
  return Object.hasOwn((body as { Runtimes: object }).Runtimes, sandboxName);
}
