// Sends one request to one upstream and its answer back, both as streams.
import type { AnswerHead } from './answer-parser.ts';
import type { BotConnection, Talk } from './bot-connection.ts';
import { type FlatHeaders, headersForClient, safeTrailers } from './headers.ts';
import { pump } from './pump.ts';
import { writeAnswerHead } from './relay-answer.ts';
import { requestHead, sinkOf } from './request-bytes.ts';
import type { UpstreamPool } from './upstream-pool.ts';
import { discardRest, isOver, isRepeatable, type Outcome, type ProxiedRequest } from './proxied-request.ts';

/** Resolves when the client has its answer or is gone, or when it needs another answer. */
export function exchange(proxied: ProxiedRequest, pool: UpstreamPool): Promise<Outcome> {
  const head = requestHead(proxied);
  if (head === null) return Promise.resolve({ kind: 'fault', code: 'bad_request' });
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  // When a reused connection broke, the other idle ones may be just as old.
  const bot = pool.connection({ isNew: !isRepeatable(proxied) || proxied.losses > 0 });
  const { method = '' } = proxied.request;
  const isWhole = proxied.checked.framing === 'none';
  bot.ask(new Exchange(proxied, bot, resolve), { method, head, isWhole, answerMs: proxied.answerMs });
  return promise;
}

class Exchange implements Talk {
  readonly #proxied: ProxiedRequest;
  readonly #bot: BotConnection;
  readonly #resolve: (outcome: Outcome) => void;
  #isConnected = false;
  #isAnswered = false;
  #isChunked = false;
  #isBegun = false;
  /** The client takes no more data for now. */
  #isHeld = false;
  #stopBody = () => {};

  constructor(proxied: ProxiedRequest, bot: BotConnection, resolve: (outcome: Outcome) => void) {
    this.#proxied = proxied;
    this.#bot = bot;
    this.#resolve = resolve;
    proxied.response.once('close', this.#onClientClose);
  }

  readonly #onClientClose = () => {
    if (!this.#proxied.response.writableFinished) this.#bot.drop(this);
    this.#settle({ kind: 'done' });
  };

  onConnect(): void {
    this.#isConnected = true;
    if (this.#proxied.checked.framing !== 'none') this.#sendBody();
  }

  onInformation({ status, rawHeaders }: AnswerHead): void {
    const { request, response } = this.#proxied;
    if (response.headersSent || response.destroyed || request.httpVersion !== '1.1') return;
    if (status !== 100) response.writeInformation(status, headersForClient(rawHeaders, false));
    else if (request.headers.expect !== undefined) response.writeContinue();
  }

  onHead(head: AnswerHead): void {
    if (isOver(this.#proxied)) return this.#bot.drop(this);
    const written = writeAnswerHead(this.#proxied, head);
    if (!written) return this.#settle({ kind: 'fault', code: 'bot_answer_not_valid' });
    this.#isAnswered = true;
    this.#isChunked = written.isChunked;
  }

  onBody(piece: Buffer): void {
    if (!this.#isAnswered) return;
    const { response } = this.#proxied;
    this.#isBegun = true;
    this.#proxied.bytesOut += piece.length;
    if (response.write(piece) || response.destroyed || this.#isHeld) return;
    this.#isHeld = true;
    this.#bot.pause(this);
    response.once('drain', () => {
      this.#isHeld = false;
      this.#bot.resume(this);
    });
  }

  onEnd(trailers: FlatHeaders): void {
    if (!this.#isAnswered) return;
    const { request, response } = this.#proxied;
    this.#stopBody();
    if (this.#isChunked && trailers.length > 0) response.addTrailers(safeTrailers(trailers));
    response.end();
    discardRest(request);
  }

  /** Sends a head alone when its body is slow, else with the body. */
  onPause(): void {
    const { response } = this.#proxied;
    if (this.#isAnswered && !this.#isBegun && !response.destroyed) response.flushHeaders();
  }

  onTimeout(): void {
    if (this.#isAnswered) return this.#bot.drop(this);
    const isClientsTurn = !this.#proxied.request.complete && !this.#bot.socket.writableNeedDrain;
    this.#settle({ kind: 'fault', code: isClientsTurn ? 'request_timeout' : 'bot_answer_late' });
  }

  onFault(error: NodeJS.ErrnoException): void {
    this.#stopBody();
    // The client's connection is cut too, so that the answer doesn't look complete.
    if (this.#isAnswered) this.#proxied.response.destroy();
    else if (!isOver(this.#proxied)) this.#settle(outcomeOf(this.#proxied, error, this.#isConnected));
  }

  #settle(outcome: Outcome): void {
    this.#proxied.response.off('close', this.#onClientClose);
    if (outcome.kind !== 'done') {
      this.#stopBody();
      this.#bot.drop(this);
    }
    this.#resolve(outcome);
  }

  /** Only once connected: body data already read can't be sent to another upstream. */
  #sendBody(): void {
    const { request } = this.#proxied;
    const isChunked = this.#proxied.checked.framing === 'chunked';
    const sink = sinkOf(this.#bot.socket, isChunked);
    const stop = pump(request, sink, (count) => {
      this.#proxied.bytesIn += count;
    });
    const onEnd = () => {
      if (!request.complete) return;
      stop();
      sink.end(isChunked ? safeTrailers(request.rawTrailers) : []);
      this.#bot.finish(this);
    };
    request.once('end', onEnd);
    this.#stopBody = () => {
      stop();
      request.off('end', onEnd);
    };
  }
}

/** The outcome of an error before the answer. */
export function outcomeOf(proxied: ProxiedRequest, error: NodeJS.ErrnoException, isConnected: boolean): Outcome {
  if (error.code === 'BOT_ANSWER_NOT_VALID' || error.code?.startsWith('HPE_'))
    return { kind: 'fault', code: 'bot_answer_not_valid' };
  if (!isConnected)
    return error.code === 'ETIMEDOUT' ? { kind: 'fault', code: 'bot_answer_late' } : { kind: 'refused' };
  if (isRepeatable(proxied) && proxied.bytesIn === 0) return { kind: 'lost' };
  return { kind: 'fault', code: 'bot_connection_lost' };
}
