// A connection to a bot: carries one request after the other, and reads the answer to each.
import type { Socket } from 'node:net';
import { AnswerParser, type AnswerReader } from './answer-parser.ts';
import { idleBotMs, streamIdleMs } from './limits.ts';

/** One request, and what is told of its answer. */
export interface Talk extends AnswerReader {
  /** Once there is a connection: at once on one that was kept. */
  onConnect(): void;
  /** All that came so far was told. */
  onPause(): void;
  /** Without a byte either way for the time that is allowed. */
  onTimeout(): void;
  /** There will be no more of an answer that had not ended; nothing is told after it. */
  onFault(error: NodeJS.ErrnoException): void;
}

/** What is sent. `head` in latin1; without a body `isWhole`. */
export interface Question {
  method: string;
  head: string;
  isWhole: boolean;
  /** How long nothing may move before the answer begins. */
  answerMs: number;
}

export class BotConnection {
  readonly socket: Socket;
  /** Takes it when it can carry another request. */
  readonly #onFree: () => void;
  #parser: AnswerParser | null = null;
  #talk: Talk | null = null;
  #isSent = false;
  #hadBody = false;
  #isStreaming = false;
  #fault: NodeJS.ErrnoException | null = null;

  constructor(socket: Socket, onFree: () => void) {
    this.socket = socket;
    this.#onFree = onFree;
    socket.on('connect', () => this.#talk?.onConnect());
    socket.on('data', (bytes: Buffer) => this.#read(bytes));
    socket.on('timeout', () => (this.#talk ? this.#talk.onTimeout() : socket.destroy()));
    socket.on('error', (error) => {
      this.#fault = error;
    });
    socket.on('close', () => this.#close());
  }

  /** A body is written to the socket, and then `finish` called. */
  ask(talk: Talk, { method, head, isWhole, answerMs }: Question): void {
    const { socket } = this;
    this.#talk = talk;
    this.#parser = new AnswerParser(method, talk);
    this.#isSent = isWhole;
    this.#hadBody = !isWhole;
    this.#isStreaming = false;
    socket.setTimeout(answerMs);
    socket.write(head, 'latin1');
    if (!socket.connecting) talk.onConnect();
  }

  /** The body was written to its end. */
  finish(talk: Talk): void {
    if (this.#talk === talk) this.#isSent = true;
  }

  /** Cuts the connection, if it still is the talk's. */
  drop(talk: Talk): void {
    if (this.#talk === talk) this.socket.destroy();
  }

  /** Holds the answer back, or goes on, if it still is the talk's. */
  pause(talk: Talk): void {
    if (this.#talk === talk) this.socket.pause();
  }

  resume(talk: Talk): void {
    if (this.#talk === talk) this.socket.resume();
  }

  #read(bytes: Buffer): void {
    const { socket } = this;
    const parser = this.#parser;
    const talk = this.#talk;
    // Nobody has asked.
    if (!parser || !talk) return void socket.destroy();
    try {
      parser.read(bytes);
    } catch (error) {
      // What comes after an answer that was right does not touch it.
      if (!parser.hasEnded) this.#fault = error as NodeJS.ErrnoException;
      return void socket.destroy();
    }
    if (parser.hasEnded) return this.#free(parser);
    talk.onPause();
    if (!this.#isStreaming && parser.hasHead) {
      this.#isStreaming = true;
      socket.setTimeout(streamIdleMs);
    }
  }

  #free({ mayStay, idleSeconds }: AnswerParser): void {
    const { socket } = this;
    this.#talk = null;
    this.#parser = null;
    // A second before the bot closes it, a request could meet the end on its way.
    const idleMs = Math.min(idleBotMs, idleSeconds === null ? idleBotMs : (idleSeconds - 1) * 1000);
    // A program that did not read a body may take it for the next request, whoever's that would be.
    const isClean = this.#isSent && !this.#hadBody;
    if (!isClean || !mayStay || idleMs <= 0 || socket.destroyed || !socket.writable) return void socket.destroy();
    socket.setTimeout(idleMs);
    socket.resume();
    this.#onFree();
  }

  #close(): void {
    const talk = this.#talk;
    const parser = this.#parser;
    this.#talk = null;
    this.#parser = null;
    if (!talk || !parser || parser.hasEnded) return;
    if (this.#fault === null && parser.endsWithConnection) return parser.close();
    talk.onFault(this.#fault ?? Object.assign(new Error('The bot closed its connection'), { code: 'ECONNRESET' }));
  }
}
