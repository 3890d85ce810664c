// Whether a request was made on this machine: by the address beside the server, never by what a
// header says of it.
import type { IncomingMessage } from 'node:http';

/** A proxy sets one of them: what it passes on comes from elsewhere, though the proxy is here. */
const passedOn = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

export function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? '';
  const isLoopback = address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
  return isLoopback && passedOn.every((name) => headers[name] === undefined);
}
