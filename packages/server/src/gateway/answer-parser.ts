// Parses a bot's answers by the strict grammar of HTTP/1.1 (RFC 9112): ambiguous input is an error.
// Pure: takes bytes as they arrive, emits heads and pieces of bodies.
import type { FlatHeaders } from './headers.ts';

export interface AnswerHead {
  status: number;
  reason: string;
  rawHeaders: FlatHeaders;
}

/** Called in order: any number of `onInformation`, `onHead`, pieces of the body, `onEnd`. */
export interface AnswerReader {
  /** A head with a status of 1xx. */
  onInformation(head: AnswerHead): void;
  onHead(head: AnswerHead): void;
  onBody(piece: Buffer): void;
  onEnd(trailers: FlatHeaders): void;
}

/** The bytes are not an unambiguous answer. */
export class AnswerError extends Error {
  readonly code = 'BOT_ANSWER_NOT_VALID';
}

const maxHeadBytes = 64 * 1024;
const maxChunkLineBytes = 1024;
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const none = Buffer.alloc(0);

type State = 'head' | 'length' | 'chunk-size' | 'chunk' | 'chunk-end' | 'trailers' | 'until-close' | 'ended';

/** Reads one answer; make a new one for the next. */
export class AnswerParser {
  readonly #isHead: boolean;
  readonly #reader: AnswerReader;
  #state: State = 'head';
  /** What is not complete yet: of a head, of a line of a chunk, of trailers. */
  #pending: Buffer = none;
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0;
  #mayStay = false;
  #idleSeconds: number | null = null;

  /** `method` of the request: an answer to HEAD has no body. */
  constructor(method: string, reader: AnswerReader) {
    this.#isHead = method === 'HEAD';
    this.#reader = reader;
  }

  /** Whether the head was told. */
  get hasHead(): boolean {
    return this.#state !== 'head';
  }

  /** Whether the end of the connection is the end of the answer, which says of itself no other. */
  get endsWithConnection(): boolean {
    return this.#state === 'until-close';
  }

  get hasEnded(): boolean {
    return this.#state === 'ended';
  }

  /** Whether the connection can be used again, once the answer has ended. */
  get mayStay(): boolean {
    return this.#mayStay;
  }

  /** How long the bot says that it keeps an idle connection; null when it says nothing. */
  get idleSeconds(): number | null {
    return this.#idleSeconds;
  }

  /** Throws AnswerError, also for bytes after the end of the answer. */
  read(bytes: Buffer): void {
    let rest = this.#pending.length > 0 ? Buffer.concat([this.#pending, bytes]) : bytes;
    this.#pending = none;
    while (rest.length > 0) {
      const taken = this.#step(rest);
      if (taken === 0) {
        this.#pending = rest;
        return;
      }
      rest = rest.subarray(taken);
    }
  }

  /** The connection ended, which ends the answer: only where `endsWithConnection`. */
  close(): void {
    this.#end([]);
  }

  /** Returns the number of bytes consumed; 0 when it needs more than there are. */
  #step(bytes: Buffer): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes);
      case 'until-close':
        this.#reader.onBody(bytes);
        return bytes.length;
      case 'length':
      case 'chunk':
        return this.#body(bytes);
      case 'chunk-size':
        return this.#chunkSize(bytes);
      case 'chunk-end':
        if (bytes.length < 2) return 0;
        if (bytes[0] !== 13 || bytes[1] !== 10) throw new AnswerError('A chunk has another length than it says');
        this.#state = 'chunk-size';
        return 2;
      case 'trailers':
        return this.#trailers(bytes);
      case 'ended':
        throw new AnswerError('There are bytes after the answer');
    }
  }

  #head(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n\r\n', 0, 'latin1');
    if (end === -1 || end > maxHeadBytes) {
      if (bytes.length > maxHeadBytes) throw new AnswerError('The head is too large');
      // A server of another protocol may never send the end of a head.
      if (bytes.length >= 5 && bytes.toString('latin1', 0, 5) !== 'HTTP/') throw new AnswerError('This is no HTTP');
      return 0;
    }
    const lines = bytes.toString('latin1', 0, end).split('\r\n');
    const [, minor, digits, reason = ''] = statusLine.exec(lines[0] ?? '') ?? [];
    if (digits === undefined) throw new AnswerError('The status line is not valid');
    const rawHeaders = fieldsOf(lines, 1);
    const head = { status: Number(digits), reason, rawHeaders };
    if (head.status === 101) throw new AnswerError('Nobody asked for another protocol');
    if (head.status < 200) this.#reader.onInformation(head);
    else this.#begin(head, minor === '1');
    return end + 4;
  }

  #begin(head: AnswerHead, isHttp11: boolean): void {
    const framing = framingOf(head.rawHeaders);
    const { status } = head;
    this.#mayStay = framing.keepAlive ?? isHttp11;
    this.#idleSeconds = framing.idleSeconds;
    const isBodiless = this.#isHead || status === 204 || status === 304;
    if (isBodiless || framing.length === 0) this.#state = 'ended';
    else if (framing.isChunked) this.#state = 'chunk-size';
    else if (framing.length !== null) {
      this.#state = 'length';
      this.#left = framing.length;
    } else {
      this.#state = 'until-close';
      this.#mayStay = false;
    }
    this.#reader.onHead(head);
    if (this.#state === 'ended') this.#reader.onEnd([]);
  }

  #body(bytes: Buffer): number {
    const taken = Math.min(bytes.length, this.#left);
    this.#left -= taken;
    this.#reader.onBody(taken === bytes.length ? bytes : bytes.subarray(0, taken));
    if (this.#left === 0) {
      if (this.#state === 'length') this.#end([]);
      else this.#state = 'chunk-end';
    }
    return taken;
  }

  #chunkSize(bytes: Buffer): number {
    const end = bytes.indexOf('\r\n', 0, 'latin1');
    if (end === -1 || end > maxChunkLineBytes) {
      if (bytes.length > maxChunkLineBytes) throw new AnswerError('The line of a chunk is too long');
      return 0;
    }
    const digits = /^([0-9A-Fa-f]{1,12})(?:[\t ]*;[\t\x20-\x7e\x80-\xff]*)?$/.exec(
      bytes.toString('latin1', 0, end),
    )?.[1];
    if (digits === undefined) throw new AnswerError('The size of a chunk is not valid');
    this.#left = Number.parseInt(digits, 16);
    this.#state = this.#left === 0 ? 'trailers' : 'chunk';
    return end + 2;
  }

  #trailers(bytes: Buffer): number {
    if (bytes.length >= 2 && bytes[0] === 13 && bytes[1] === 10) {
      this.#end([]);
      return 2;
    }
    const end = bytes.indexOf('\r\n\r\n', 0, 'latin1');
    if (end === -1 || end > maxHeadBytes) {
      if (bytes.length > maxHeadBytes) throw new AnswerError('The trailers are too large');
      return 0;
    }
    this.#end(fieldsOf(bytes.toString('latin1', 0, end).split('\r\n'), 0));
    return end + 4;
  }

  #end(trailers: FlatHeaders): void {
    this.#state = 'ended';
    this.#reader.onEnd(trailers);
  }
}

function fieldsOf(lines: readonly string[], from: number): FlatHeaders {
  const fields: FlatHeaders = [];
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    const value = withoutBlanks(line, colon + 1);
    if (!fieldName.test(name) || !fieldValue.test(value)) throw new AnswerError('A header is not valid');
    fields.push(name, value);
  }
  return fields;
}

/** Trims spaces and tabs. No regular expression: one that backtracks takes quadratic time. */
function withoutBlanks(line: string, from: number): string {
  const isBlank = (index: number) => line[index] === ' ' || line[index] === '\t';
  let begin = from;
  let end = line.length;
  while (begin < end && isBlank(begin)) begin++;
  while (end > begin && isBlank(end - 1)) end--;
  return line.slice(begin, end);
}

interface Framing {
  isChunked: boolean;
  /** Null: not given. */
  length: number | null;
  /** Null: not given. */
  keepAlive: boolean | null;
  idleSeconds: number | null;
}

function framingOf(rawHeaders: FlatHeaders): Framing {
  const framing: Framing = { isChunked: false, length: null, keepAlive: null, idleSeconds: null };
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    // Most names differ in length from these four.
    if (name.length !== 10 && name.length !== 14 && name.length !== 17) continue;
    switch (name.toLowerCase()) {
      case 'content-length':
        if (framing.length !== null || !/^\d{1,15}$/.test(value)) throw new AnswerError('The length is not valid');
        framing.length = Number(value);
        break;
      case 'transfer-encoding':
        if (framing.isChunked || value.toLowerCase() !== 'chunked') throw new AnswerError('The encoding is not known');
        framing.isChunked = true;
        break;
      case 'connection':
        if (/\bclose\b/i.test(value)) framing.keepAlive = false;
        else if (/\bkeep-alive\b/i.test(value)) framing.keepAlive ??= true;
        break;
      case 'keep-alive': {
        const seconds = /\btimeout=(\d{1,5})\b/i.exec(value)?.[1];
        if (seconds !== undefined) framing.idleSeconds = Number(seconds);
      }
    }
  }
  if (framing.isChunked && framing.length !== null) throw new AnswerError('The body is framed in two ways');
  return framing;
}
