// One request sent to one target, and its answer sent back, both as streams. Must not decide what happens when that fails:
// it says how it went (visit.ts, Outcome), and only while nothing was answered.
import { type ClientRequest, type IncomingMessage, type InformationEvent, request as openRequest } from 'node:http';
import { safeTrailers } from './headers.ts';
import { answerMs } from './limits.ts';
import { pump } from './pump.ts';
import { relayAnswer } from './relay-answer.ts';
import type { Target } from './target.ts';
import { discardRest, isOver, isRepeatable, type Outcome, type Visit } from './visit.ts';

/** Resolves when the client has its answer or is gone, or when it needs another answer. */
export function exchange(visit: Visit, target: Target): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const { request, response, checked } = visit;
  const bot = openBotRequest(visit, target);
  if (!bot) return Promise.resolve({ kind: 'fault', code: 'bad_request' });
  let isConnected = false;
  let isAnswered = false;
  let stopBody = () => {};
  const settle = (outcome: Outcome) => {
    response.off('close', onClientClose);
    if (outcome.kind !== 'done') {
      stopBody();
      bot.destroy();
    }
    resolve(outcome);
  };
  const onClientClose = () => {
    if (!response.writableFinished) bot.destroy();
    settle({ kind: 'done' });
  };
  response.once('close', onClientClose);
  onceConnected(bot, () => {
    isConnected = true;
    if (checked.framing !== 'none') stopBody = sendBody(visit, bot);
  });
  if (checked.framing === 'none') bot.end();
  bot.on('information', (information) => relayInformation(visit, information));
  bot.once('response', (answer: IncomingMessage) => {
    if (isOver(visit)) return void bot.destroy();
    isAnswered = relayAnswer(visit, bot, answer);
    if (!isAnswered) settle({ kind: 'fault', code: 'bot_answer_not_valid' });
  });
  bot.on('timeout', () => {
    if (isAnswered) return;
    const isClientsTurn = !request.complete && !bot.writableNeedDrain;
    settle({ kind: 'fault', code: isClientsTurn ? 'request_timeout' : 'bot_answer_late' });
  });
  bot.on('error', (error: NodeJS.ErrnoException) => {
    if (!isAnswered && !isOver(visit)) settle(outcomeOf(visit, error, isConnected));
  });
  bot.once('close', () => {
    stopBody();
    if (isAnswered) discardRest(request);
  });
  return promise;
}

/** Null: node:http can't send it. What must not be sent twice gets a connection of its own: a kept one may just be closing. */
function openBotRequest(visit: Visit, target: Target): ClientRequest | null {
  const { request, checked, headers } = visit;
  const { address: host, port } = target.where;
  const connection = isRepeatable(visit)
    ? { agent: target.agent }
    : { agent: false, createConnection: () => target.connect() };
  try {
    return openRequest({
      ...connection,
      host,
      port,
      method: request.method,
      path: checked.path,
      headers,
      setHost: false,
      timeout: answerMs,
    });
  } catch {
    return null;
  }
}

export function onceConnected(bot: ClientRequest, then: () => void): void {
  bot.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', then);
    else then();
  });
}

/** Only once the bot is there: what was read can't be sent to another one. Returns what stops it. */
function sendBody(visit: Visit, bot: ClientRequest): () => void {
  const { request } = visit;
  bot.flushHeaders();
  const stop = pump(request, bot, (count) => {
    visit.bytesIn += count;
  });
  const onEnd = () => {
    if (!request.complete) return;
    if (visit.checked.framing === 'chunked') bot.addTrailers(safeTrailers(request.rawTrailers));
    bot.end();
  };
  request.once('end', onEnd);
  return () => {
    stop();
    request.off('end', onEnd);
  };
}

function relayInformation({ request, response }: Visit, { statusCode, rawHeaders }: InformationEvent): void {
  if (response.headersSent || response.destroyed || request.httpVersion !== '1.1') return;
  if (statusCode === 100) {
    if (request.headers.expect !== undefined) response.writeContinue();
  } else if (statusCode === 102) response.writeProcessing();
  else if (statusCode === 103) {
    const links = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'link');
    if (links.length > 0) response.writeEarlyHints({ link: links });
  }
}

/** Of an error before the answer. */
export function outcomeOf(visit: Visit, error: NodeJS.ErrnoException, isConnected: boolean): Outcome {
  if (error.code?.startsWith('HPE_')) return { kind: 'fault', code: 'bot_answer_not_valid' };
  if (!isConnected)
    return error.code === 'ETIMEDOUT' ? { kind: 'fault', code: 'bot_answer_late' } : { kind: 'refused' };
  if (isRepeatable(visit) && visit.bytesIn === 0) return { kind: 'lost' };
  return { kind: 'fault', code: 'bot_connection_lost' };
}
