// The port of the API: free, or held by a Botel that answers.
import { createServer } from 'node:net';
import { type Check, fix, ok } from '../check.ts';

export const port: Check = {
  name: 'port',
  async run({ host, port: number }) {
    if (number === 0) return [ok('the port is taken at the start')];
    if (await isFree(host, number)) return [ok(`port ${number} on ${host} is free`)];
    const version = await fetch(`http://${host}:${number}/version`, { signal: AbortSignal.timeout(2_000) })
      .then((response) => response.json() as Promise<{ data?: { version?: string } }>)
      .catch(() => null);
    if (version?.data?.version) return [ok(`Botel ${version.data.version} answers on ${host}:${number}`)];
    return [fix(`port ${number} on ${host} is taken by another program`, 'End that program, or set BOTEL_PORT.')];
  },
};

function isFree(host: string, number: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen(number, host, () => server.close(() => resolve(true)));
  return promise;
}
