// Whether a TCP port is available, tested by briefly listening on it.
import { createServer } from 'node:net';

/** `denied`: this user may not listen on it. `foreign`: the host is no address of this machine. */
export type PortState = 'free' | 'taken' | 'denied' | 'foreign';

const states: Record<string, PortState> = { EADDRINUSE: 'taken', EACCES: 'denied', EADDRNOTAVAIL: 'foreign' };

/** Absent `host` = all addresses of this machine. Rejects on any other error. */
export function portState(port: number, host?: string): Promise<PortState> {
  const { promise, resolve, reject } = Promise.withResolvers<PortState>();
  const server = createServer();
  server.once('error', (error: NodeJS.ErrnoException) => {
    const state = states[error.code ?? ''];
    if (state) resolve(state);
    else reject(error);
  });
  server.listen({ port, host }, () => server.close(() => resolve('free')));
  return promise;
}
