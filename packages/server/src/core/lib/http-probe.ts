// Sends one HTTP request and reads only the status: dials the given address only, follows no
// redirect, ends within a known time.
import { request } from 'node:http';

export interface HttpQuestion {
  /** IPv4 address and port to dial. */
  address: string;
  port: number;
  /** Starts with a slash; ASCII without spaces. */
  path: string;
  /** Value of the `Host` header. */
  host: string;
  timeoutMs: number;
}

/** The status of the answer, or a phrase that says why there was none. */
export type HttpAnswer = { status: number } | { fault: string };

/** Never rejects. */
export type HttpProbe = (question: HttpQuestion, signal: AbortSignal) => Promise<HttpAnswer>;

const maxHeaderBytes = 16_384;

export const probeHttp: HttpProbe = ({ address, port, path, host, timeoutMs }, signal) => {
  const { promise, resolve } = Promise.withResolvers<HttpAnswer>();
  const headers = { host, 'user-agent': 'botel-health', connection: 'close' };
  const call = request({
    host: address,
    port,
    path,
    headers,
    agent: false,
    maxHeaderSize: maxHeaderBytes,
    signal,
  });
  const late = setTimeout(() => {
    resolve({ fault: `no answer within ${timeoutMs / 1000} s` });
    call.destroy();
  }, timeoutMs);
  call.on('response', (response) => {
    resolve({ status: response.statusCode ?? 0 });
    call.destroy();
  });
  // An upgrade is ignored, requested or not.
  call.on('upgrade', (response, socket) => {
    resolve({ status: response.statusCode ?? 0 });
    socket.destroy();
  });
  call.on('error', (error: NodeJS.ErrnoException) => resolve({ fault: faultOf(error, port) }));
  call.end();
  return promise.finally(() => clearTimeout(late));
};

function faultOf({ code, name }: NodeJS.ErrnoException, port: number): string {
  if (code === 'ECONNREFUSED') return `nothing listens on port ${port}`;
  if (code?.startsWith('HPE_')) return `what listens on port ${port} does not answer as HTTP`;
  return `the connection failed (${code ?? name})`;
}
