// Streams a bot's answer to the client: head at once, body in pieces, trailers at the end. When the
// answer breaks off, the client's connection is cut too.
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { AnswerHead } from './answer-parser.ts';
import { headerOf, headersForClient, safeTrailers } from './headers.ts';
import { streamIdleMs } from './limits.ts';
import { pump } from './pump.ts';
import type { ProxiedRequest } from './proxied-request.ts';

/** Null: the head can't be sent. `isChunked`: the body is sent in chunks; trailers may follow. */
export function writeAnswerHead(
  { request, response }: ProxiedRequest,
  { status, reason, rawHeaders }: AnswerHead,
): { isChunked: boolean } | null {
  const mayChunk = request.httpVersion === '1.1' && request.method !== 'HEAD' && status !== 204 && status !== 304;
  const isChunked = mayChunk && headerOf(rawHeaders, 'content-length') === null;
  try {
    response.writeHead(status, reason, headersForClient(rawHeaders, isChunked));
  } catch {
    // What it refused stays set, and would fail the gateway's own answer too.
    response.statusMessage = '';
    return null;
  }
  return { isChunked };
}

/** Relays the answer of a bot that declined an upgrade. False: its head can't be sent. */
export function relayAnswer(proxied: ProxiedRequest, bot: ClientRequest, answer: IncomingMessage): boolean {
  const { response } = proxied;
  const { statusCode: status = 502, statusMessage: reason = '', rawHeaders } = answer;
  const written = writeAnswerHead(proxied, { status, reason, rawHeaders });
  if (!written) return false;
  answer.socket?.setTimeout(streamIdleMs);
  let isBegun = false;
  const stop = pump(answer, response, (count) => {
    isBegun = true;
    proxied.bytesOut += count;
  });
  answer.once('end', () => {
    if (!answer.complete) return;
    if (written.isChunked) response.addTrailers(safeTrailers(answer.rawTrailers));
    response.end();
  });
  answer.on('error', () => {});
  answer.once('close', () => {
    stop();
    if (!answer.complete) response.destroy();
  });
  // A head whose body is slow is sent alone; one with a body in the same packet is sent with it.
  setImmediate(() => {
    if (!isBegun && !response.writableEnded && !response.destroyed) response.flushHeaders();
  });
  bot.on('timeout', () => bot.destroy());
  return true;
}
