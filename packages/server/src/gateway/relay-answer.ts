// Sends a bot's answer on to the client as it comes: head at once, body in pieces, trailers at the
// end. An answer that breaks off breaks off for the client too: it is cut, never ended.
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { AnswerHead } from './answer-parser.ts';
import { headerOf, headersForClient, safeTrailers } from './headers.ts';
import { streamIdleMs } from './limits.ts';
import { pump } from './pump.ts';
import type { ProxiedRequest } from './proxied-request.ts';

/** Null: it can't be sent on. `isChunked`: the body is sent in chunks, and trailers may follow. */
export function writeAnswerHead(
  { request, response }: ProxiedRequest,
  { status, reason, rawHeaders }: AnswerHead,
): { isChunked: boolean } | null {
  const mayChunk = request.httpVersion === '1.1' && request.method !== 'HEAD' && status !== 204 && status !== 304;
  const isChunked = mayChunk && headerOf(rawHeaders, 'content-length') === null;
  try {
    response.writeHead(status, reason, headersForClient(rawHeaders, isChunked));
  } catch {
    return null;
  }
  return { isChunked };
}

/** Of a bot that was asked to change the protocol and did not. False: its head can't be sent on. */
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
  // A head whose body takes its time goes alone; one with a body in the same packet goes with it.
  setImmediate(() => {
    if (!isBegun && !response.writableEnded && !response.destroyed) response.flushHeaders();
  });
  bot.on('timeout', () => bot.destroy());
  return true;
}
