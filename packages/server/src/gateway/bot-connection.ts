// A connection to a bot: sends one request after the other and reads the answer to each.
import type { Socket } from 'node:net';
import { AnswerParser, type AnswerReader } from './answer-parser.ts';
import { idleBotMs, streamIdleMs } from './limits.ts';

/** One request, with callbacks for its answer. */
export interface Talk extends AnswerReader {
  /** Called once connected: at once on a reused connection. */
  onConnect(): void;
  /** Called when everything received so far was emitted. */
  onPause(): void;
  /** Called when no byte moved in either direction for the time allowed. */
  onTimeout(): void;
  /** Called when an incomplete answer breaks off; no callback follows. */
  onFault(error: NodeJS.ErrnoException): void;
}

/** The request as sent: `head` in latin1; `isWhole` when there is no body. */
export interface Question {
  method: string;
  head: string;
  isWhole: boolean;
  /** Longest time without traffic before the answer begins. */
  answerMs: number;
}

export class BotConnection {
  readonly socket: Socket;
  /** Called when the connection can carry another request. */
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

  /** The caller writes a body to the socket and then calls `finish`. */
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

  /** The whole body was written. */
  finish(talk: Talk): void {
    if (this.#talk === talk) this.#isSent = true;
  }

  /** Cuts the connection if this talk still owns it. */
  drop(talk: Talk): void {
    if (this.#talk === talk) this.socket.destroy();
  }

  /** Pauses or resumes the answer if this talk still owns the connection. */
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
    // Bytes without a request.
    if (!parser || !talk) return void socket.destroy();
    try {
      parser.read(bytes);
    } catch (error) {
      // Errors after a complete answer don't affect it.
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
    // A request sent within the last second before the bot closes the connection could be lost.
    const idleMs = Math.min(idleBotMs, idleSeconds === null ? idleBotMs : (idleSeconds - 1) * 1000);
    // A program that ignored a body may parse it as the next request, perhaps another client's.
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
