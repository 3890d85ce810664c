// A Botel in two processes over one folder: an api without rights, where this machine lets us have
// one, and an agent. Either may be killed.
import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { checkoutPath } from '../../src/core/lib/checkout.ts';
import { type ServedProcess, serve } from './served-process.ts';

/** Nobody. */
const strangerId = 65_534;

/** The user of the api: nobody where this process is root and nobody can read the checkout; else
 * this process's own. */
export const apiUser: number | undefined = canRunAs(strangerId) ? strangerId : undefined;

export interface SplitServer extends AsyncDisposable {
  api: ServedProcess;
  agent: ServedProcess;
  /** Each starts again after `end`, at the same address. Resolve when it listens. */
  restartApi(): Promise<void>;
  restartAgent(): Promise<void>;
}

/** `settings` are environment variables, with the data folder. */
export async function serveSplit(settings: Record<string, string>): Promise<SplitServer> {
  const environment: Record<string, string> = { ...settings };
  if (apiUser !== undefined) {
    environment.BOTEL_API_GROUP = String(apiUser);
    // Folders of tests are closed to others.
    chmodSync(environment.BOTEL_DATA_DIR ?? '', 0o711);
  }
  const startAgent = () => serve(environment, { role: 'agent' });
  const startApi = () => serve(environment, { role: 'api', uid: apiUser });
  // The one waits for what the other prepares.
  const [agent, api] = await Promise.all([startAgent(), startApi()]);
  environment.BOTEL_PORT = new URL(api.url).port;
  const halves: SplitServer = {
    api,
    agent,
    async restartApi() {
      halves.api = await startApi();
    },
    async restartAgent() {
      halves.agent = await startAgent();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([halves.api.end('SIGTERM'), halves.agent.end('SIGTERM')]);
    },
  };
  return halves;
}

function canRunAs(uid: number): boolean {
  if (process.getuid?.() !== 0) return false;
  const program = `require('node:fs').accessSync(${JSON.stringify(checkoutPath('packages/server/src/main.ts'))})`;
  return spawnSync(process.execPath, ['-e', program], { uid, gid: uid, env: {} }).status === 0;
}
