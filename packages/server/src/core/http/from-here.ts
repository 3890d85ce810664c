// Whether a request was made on this machine: decided by the peer address, never by a header.
import type { IncomingMessage } from 'node:http';

/** A proxy sets one of these: the request comes from elsewhere even if the proxy is local. */
const passedOn = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

export function isFromHere({ socket, headers }: IncomingMessage): boolean {
  const address = socket.remoteAddress ?? '';
  const isLoopback = address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
  return isLoopback && passedOn.every((name) => headers[name] === undefined);
}
