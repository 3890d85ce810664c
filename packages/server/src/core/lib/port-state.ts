// Whether a TCP port can be listened on, found by listening for a moment.
import { createServer } from 'node:net';

/** `denied`: this user may not listen on it. `foreign`: no address of this machine. */
export type PortState = 'free' | 'taken' | 'denied' | 'foreign';

const states: Record<string, PortState> = { EADDRINUSE: 'taken', EACCES: 'denied', EADDRNOTAVAIL: 'foreign' };

/** `host` left out: all addresses of this machine. Rejects on any other error. */
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
