// The API's port: free, or held by an answering Botel.
import { portState } from '../../../core/lib/port-state.ts';
import { type Check, fix, ok } from '../check.ts';

export const port: Check = {
  name: 'port',
  async run({ host, port: number }) {
    if (number === 0) return [ok('a free port is chosen at the start')];
    const state = await portState(number, host);
    if (state === 'denied')
      return [fix(`this user may not listen on port ${number}`, 'Set BOTEL_PORT to 1024 or above.')];
    if (state === 'foreign') return [fix(`${host} is not an address of this machine`, 'Correct BOTEL_HOST.')];
    if (state === 'free') return [ok(`port ${number} on ${host} is free`)];
    const version = await fetch(`http://${host}:${number}/version`, { signal: AbortSignal.timeout(2_000) })
      .then((response) => response.json() as Promise<{ data?: { version?: string } }>)
      .catch(() => null);
    if (version?.data?.version) return [ok(`Botel ${version.data.version} answers on ${host}:${number}`)];
    return [fix(`port ${number} on ${host} is taken by another program`, 'Stop that program, or set BOTEL_PORT.')];
  },
};
