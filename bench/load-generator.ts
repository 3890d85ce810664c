// A process that asks one URL for the same thing over some connections, one request at a time on
// each, and counts the answers. Reads no more of HTTP than it has to: answers must carry a
// content-length.
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answerOrders } from './child.ts';

export interface Load {
  url: string;
  headers: Record<string, string>;
  connections: number;
  durationMs: number;
}

export interface LoadResult {
  /** Answers per second with the status 200. */
  perSecond: number;
  /** Answers with any other status, and broken connections. */
  failures: number;
}

interface Counts {
  answered: number;
  failures: number;
  over: boolean;
}

answerOrders<Load, LoadResult>(async (load) => {
  const url = new URL(load.url);
  const headers = Object.entries(load.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = Buffer.from(
    `GET ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n${headers.join('')}\r\n`,
  );
  const counts: Counts = { answered: 0, failures: 0, over: false };
  const began = performance.now();
  const sockets = Array.from({ length: load.connections }, () => askEndlessly(url, request, counts));
  await delay(load.durationMs);
  counts.over = true;
  const seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  return { perSecond: counts.answered / seconds, failures: counts.failures };
});

function askEndlessly(url: URL, request: Buffer, counts: Counts): Socket {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  let pending = '';
  socket.setEncoding('latin1');
  socket.on('connect', () => socket.write(request));
  socket.on('error', () => counts.failures++);
  socket.on('data', (bytes: string) => {
    pending += bytes;
    const end = lengthOf(pending);
    if (end === null || pending.length < end || counts.over) return;
    if (pending.startsWith('HTTP/1.1 200')) counts.answered++;
    else counts.failures++;
    pending = pending.slice(end);
    socket.write(request);
  });
  return socket;
}

/** Bytes of the answer that `text` begins with; null while its head is not complete. */
function lengthOf(text: string): number | null {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return null;
  const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1];
  if (length === undefined) throw new Error('An answer has no content-length');
  return head + 4 + Number(length);
}
