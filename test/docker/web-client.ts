// A visitor of apps, for tests: asks for names without any name server, over the gateway's own port
// or over TLS by a proxy in front of it. Requests and their answers are streams.
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request as openRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { request as openSecureRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { connect as connectTls } from 'node:tls';

/** A request under way. Its body is the visitor's to write and end. */
interface Exchange extends Disposable {
  body: Writable;
  /** Rejects when there is no answer. */
  answer: Promise<WebAnswer>;
}

interface WebAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Readable;
}

interface Asked {
  host: string;
  path: string;
  method?: string;
  headers?: Record<string, string>;
}

/** How apps are reached. */
export interface WayIn {
  name: string;
  open(asked: Asked): Exchange;
  /** The connection after the answer 101; rejects with the status of any other. */
  upgrade(host: string, path: string): Promise<Socket>;
}

/** By HTTP/1.1, to a port of this machine; by TLS when certificates are to be trusted. */
export function http1(port: number, ca?: string): WayIn {
  const place = (host: string) => ({ host: '127.0.0.1', port, ...(ca && { ca, servername: host }) });
  const open = ca ? openSecureRequest : openRequest;
  return {
    name: ca ? 'HTTP/1.1 over TLS' : 'HTTP/1.1',
    open({ host, path, method = 'GET', headers = {} }) {
      const request = open({ ...place(host), path, method, agent: false, headers: { Host: host, ...headers } });
      if (method === 'GET') request.end();
      const answer = once(request, 'response').then(([response]) => ({
        status: response.statusCode,
        headers: response.headers,
        body: untold(response),
      }));
      return { body: untold(request), answer: calm(answer), [Symbol.dispose]: () => request.destroy() };
    },
    async upgrade(host, path) {
      const key = randomBytes(16).toString('base64');
      const headers = {
        Host: host,
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': key,
      };
      const request = open({ ...place(host), path, agent: false, headers });
      const refused = once(request, 'response').then(([{ statusCode }]) => {
        request.destroy();
        throw new Error(`No WebSocket: ${statusCode}`);
      });
      request.end();
      const [response, socket] = await Promise.race([once(request, 'upgrade'), refused]);
      const accepted = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
      if (response.headers['sec-websocket-accept'] !== accepted) throw new Error('Not accepted as a WebSocket');
      return socket;
    },
  };
}

/** By HTTP/2 over TLS, a connection per request; WebSockets by HTTP/1.1, as browsers do. */
export function http2(port: number, ca: string): WayIn {
  return {
    name: 'HTTP/2 over TLS',
    open({ host, path, method = 'GET', headers = {} }) {
      const session = connectHttp2(`https://${host}:${port}`, {
        createConnection: () => connectTls({ host: '127.0.0.1', port, servername: host, ca, ALPNProtocols: ['h2'] }),
      });
      const failed = once(session, 'error').then(([error]) => {
        throw error;
      });
      calm(failed);
      const stream = session.request({ ...headers, ':path': path, ':method': method }, { endStream: method === 'GET' });
      stream.once('close', () => session.close());
      const answered = once(stream, 'response').then(([answer]) => ({
        status: answer[':status'],
        headers: answer,
        body: untold(stream),
      }));
      const answer = Promise.race([answered, failed]);
      return { body: stream, answer: calm(answer), [Symbol.dispose]: () => session.destroy() };
    },
    upgrade: (host, path) => http1(port, ca).upgrade(host, path),
  };
}

/** Whoever does not read on is not told that it broke. */
function untold<T extends Readable | Writable>(stream: T): T {
  stream.on('error', () => {});
  return stream;
}

/** Whoever waits for it may come later than its failure. */
function calm<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

export async function textOf(body: Readable): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString();
}

/** Status and text of a request without a body. */
export async function get(way: WayIn, host: string, path: string): Promise<{ status: number; text: string }> {
  using exchange = way.open({ host, path });
  const { status, body } = await exchange.answer;
  return { status, text: await textOf(body) };
}

/** Sends a text and reads the answer. */
export async function post(way: WayIn, host: string, path: string, text: string): Promise<string> {
  using exchange = way.open({ host, path, method: 'POST' });
  exchange.body.end(text);
  return await textOf((await exchange.answer).body);
}

/** Reads on until all that came since the last time holds `text`; rejects when the stream ends
 * before. */
export function reader(body: Readable): (text: string) => Promise<void> {
  let seen = '';
  const parts = body[Symbol.asyncIterator]();
  return async (text) => {
    while (!seen.includes(text)) {
      const { done, value } = await parts.next();
      if (done) throw new Error(`The stream ended without ${text}: ${seen}`);
      seen += value;
    }
    seen = seen.slice(seen.indexOf(text) + text.length);
  };
}

/** A frame of up to 125 bytes as a client sends it: masked. `kind`: 1 text, 8 close. */
export function frameOf(text: string, kind = 1): Buffer {
  const payload = Buffer.from(text);
  const mask = randomBytes(4);
  const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([Buffer.from([0x80 | kind, 0x80 | payload.length]), mask, masked]);
}

/** As the server sends it. */
export function plainFrameOf(text: string, kind = 1): Buffer {
  return Buffer.concat([Buffer.from([0x80 | kind, Buffer.byteLength(text)]), Buffer.from(text)]);
}

/** Sends a text by a WebSocket and reads its echo; rejects when another frame comes. */
export async function echo(socket: Socket, text: string): Promise<void> {
  socket.write(frameOf(text));
  const expected = plainFrameOf(text);
  let seen = Buffer.alloc(0);
  while (seen.length < expected.length) {
    const part = socket.read() as Buffer | null;
    if (part) seen = Buffer.concat([seen, part]);
    else await once(socket, 'readable', { signal: AbortSignal.timeout(20_000) });
  }
  if (!seen.equals(expected)) throw new Error(`Not the echo of ${text}: ${seen.toString('latin1')}`);
}
