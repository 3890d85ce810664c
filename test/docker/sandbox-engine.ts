// A Docker engine of the test's own that has gVisor's `runsc` beside runc, with the flags that `botel up` gives it. Must
// not touch the machine's engine.
import type { Language } from '../../packages/server/src/domain/languages.ts';
import { findSandbox, installSandbox } from '../../packages/server/src/setup/sandbox.ts';
import { OwnEngine, type OwnEngineOptions } from './own-engine.ts';
import { copyRuntimeImages } from './own-engine-server.ts';

export const sandboxRuntime = 'runsc';

/** Installs the sandbox where it is missing. */
export async function openSandboxEngine(languages: Language[]): Promise<OwnEngine> {
  if (!(await findSandbox())) await installSandbox((text) => console.log(text));
  const sandbox = await findSandbox();
  if (!sandbox) throw new Error('There is no runsc, and it could not be installed');
  const options: OwnEngineOptions = { liveRestore: true, runtimes: { [sandboxRuntime]: sandbox } };
  const engine = await OwnEngine.open(options);
  try {
    await copyRuntimeImages(engine, languages);
    return engine;
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw error;
  }
}
