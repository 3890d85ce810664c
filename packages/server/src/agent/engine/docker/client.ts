// HTTP client for the Docker Engine API: unix or TCP socket, deadlines, endless streams, version
// negotiation. Callers interpret status codes.
import { Agent, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import { EngineError } from '../engine.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Query parameters; `undefined` ones are omitted. */
export type Query = Record<string, string | number | boolean | undefined>;

export interface CallOptions {
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  /** Deadline for the whole answer, including the wait for a free connection. Default 30 s. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface UploadOptions {
  query?: Query;
  contentType: string;
  body: Readable | Buffer;
  /** Deadline for the whole answer. Default one hour. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** An answer to a plain call; `body` is parsed JSON, else text, null when empty. */
export interface Answer {
  status: number;
  body: unknown;
}

/** An answer read while it arrives; rejects when cut. Read it or `destroy` it. */
export interface StreamedAnswer extends AsyncIterable<Buffer> {
  status: number;
  destroy(): void;
}

const wantedVersion = '1.41';
const defaultTimeoutMs = 30_000;
const uploadTimeoutMs = 3_600_000;
const versionTimeoutMs = 5_000;
/** Limit of a plain answer: a list of some ten thousand containers fits. */
const maxAnswerBytes = 64 * 1024 * 1024;

interface Outgoing {
  method: Method;
  path: string;
  agent: Agent;
  contentType?: string;
  body?: Readable | Buffer;
  /** Asks for a raw connection instead of an answer. */
  upgrade?: boolean;
}

/** A client of one engine. All calls reject with EngineError `unavailable` (not reached, or cut:
 * outcome unknown) or `timeout`, and with the signal's reason when the caller aborts (an upload:
 * with its source's error). Answers with any status resolve. */
export class DockerClient {
  readonly #target: RequestOptions;
  // A connection per call: an engine that is shutting down accepts no new connections, but keeps
  // answering on existing ones, and would report containers that it stops as if they had ended by
  // themselves.
  readonly #plainAgent = new Agent({ keepAlive: false, maxSockets: 128 });
  // Endless answers must never use up the connections of plain calls.
  readonly #streamAgent = new Agent({ keepAlive: false });
  readonly #closing = new AbortController();
  #version: Promise<string> | null = null;

  /** `host`: `unix:///path/of/socket` or `tcp://host:port`. Throws on anything else. */
  constructor(host: string) {
    this.#target = targetOf(host);
  }

  /** One plain call below `/v<version>`; `path` starts with a slash and is already encoded. */
  async request(method: Method, path: string, options: CallOptions = {}): Promise<Answer> {
    const version = await this.#negotiated();
    return this.#plainCall(method, `/v${version}${pathWithQuery(path, options.query)}`, options);
  }

  /** Sends a large body; resolves when the answer begins. The deadline covers reading it too. */
  async upload(method: Method, path: string, options: UploadOptions): Promise<StreamedAnswer> {
    const call = new Call(options.timeoutMs ?? uploadTimeoutMs, [this.#closing.signal, options.signal]);
    const { contentType, body } = options;
    // The source is owned here from now on: it may fail before the engine was reached.
    if (body instanceof Readable) body.once('error', (error) => call.fail(error));
    const version = await this.#negotiated().catch((error) => {
      throw call.end(error);
    });
    const url = `/v${version}${pathWithQuery(path, options.query)}`;
    return streamed(await this.#open({ method, path: url, agent: this.#streamAgent, contentType, body }, call), call);
  }

  /** Has no deadline; a status other than 2xx rejects with `refused` and the engine's text. */
  async stream(method: Method, path: string, options: Omit<CallOptions, 'body' | 'timeoutMs'> = {}) {
    const version = await this.#negotiated();
    const call = new Call(null, [this.#closing.signal, options.signal]);
    const url = `/v${version}${pathWithQuery(path, options.query)}`;
    const response = await this.#open({ method, path: url, agent: this.#streamAgent }, call);
    const answer = streamed(response, call);
    if (answer.status < 300) return answer;
    throw new EngineError('refused', messageOf(parsedBody(await collected(answer))));
  }

  /** Opens a raw two-way connection; the deadline ends once it is open. Refusals: see `stream`. */
  async connect(path: string, options: Omit<CallOptions, 'body' | 'signal'> = {}): Promise<Duplex> {
    const version = await this.#negotiated();
    const call = new Call(options.timeoutMs ?? defaultTimeoutMs, [this.#closing.signal]);
    const url = `/v${version}${pathWithQuery(path, options.query)}`;
    const response = await this.#open({ method: 'POST', path: url, agent: this.#streamAgent, upgrade: true }, call);
    if (response.statusCode !== 101) {
      throw new EngineError('refused', messageOf(parsedBody(await collected(streamed(response, call)))));
    }
    call.end();
    const { socket } = response;
    const cut = () => void socket.destroy();
    this.#closing.signal.addEventListener('abort', cut, { once: true });
    socket.once('close', () => this.#closing.signal.removeEventListener('abort', cut));
    return socket;
  }

  /** Cuts all calls in progress (they reject with `unavailable`); later calls reject at once. */
  async close(): Promise<void> {
    this.#closing.abort(new EngineError('unavailable', 'The connection to the engine was closed'));
    this.#plainAgent.destroy();
    this.#streamAgent.destroy();
  }

  async #plainCall(method: Method, path: string, options: CallOptions): Promise<Answer> {
    const call = new Call(options.timeoutMs ?? defaultTimeoutMs, [this.#closing.signal, options.signal]);
    const json = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
    const contentType = json && 'application/json';
    const response = await this.#open({ method, path, agent: this.#plainAgent, contentType, body: json }, call);
    const answer = streamed(response, call);
    return { status: answer.status, body: parsedBody(await collected(answer)) };
  }

  /** Resolves with the head of the answer; `call` stays armed until the answer was read. */
  #open(outgoing: Outgoing, call: Call): Promise<IncomingMessage> {
    return new Promise<IncomingMessage>((resolve, reject) => {
      if (call.failure) return reject(call.end());
      const { method, path, agent, body, contentType, upgrade } = outgoing;
      const headers: Record<string, string | number> = { host: 'docker' };
      if (contentType) headers['content-type'] = contentType;
      if (upgrade) Object.assign(headers, { connection: 'Upgrade', upgrade: 'tcp', 'content-length': 0 });
      if (Buffer.isBuffer(body)) headers['content-length'] = body.length;
      const request = httpRequest({ ...this.#target, method, path, agent, headers });
      call.guard(request);
      request.once('response', resolve);
      if (upgrade) request.once('upgrade', resolve);
      request.on('error', (error) => reject(call.end(error)));
      if (body instanceof Readable) {
        request.once('close', () => body.destroy());
        body.pipe(request);
      } else request.end(body);
    });
  }

  /** 1.41, or the nearest that the engine supports. Requested again after a failure. */
  #negotiated(): Promise<string> {
    this.#version ??= this.#plainCall('GET', '/version', { timeoutMs: versionTimeoutMs }).then(({ status, body }) => {
      if (status === 200) return chosenVersion(body);
      throw new EngineError('unavailable', messageOf(body) || `The engine answered ${status} to /version`);
    });
    const asked = this.#version;
    return asked.catch((error) => {
      if (this.#version === asked) this.#version = null;
      throw error;
    });
  }
}

/** The deadline and the aborts of one call. `end` releases them and returns why the call failed. */
class Call {
  failure: unknown = null;
  readonly #signals: AbortSignal[];
  readonly #timer: NodeJS.Timeout | null;
  readonly #onAbort: (event: Event) => void;
  #request: ClientRequest | null = null;

  constructor(timeoutMs: number | null, signals: (AbortSignal | undefined)[]) {
    this.#signals = signals.filter((signal) => signal !== undefined);
    this.#onAbort = (event) => this.fail((event.target as AbortSignal).reason);
    for (const signal of this.#signals) {
      if (signal.aborted) this.failure ??= signal.reason;
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
    const late = () => this.fail(new EngineError('timeout', `The engine did not answer within ${timeoutMs} ms`));
    this.#timer = timeoutMs === null ? null : setTimeout(late, timeoutMs);
  }

  /** Destroys `request` (and its answer) when the call fails. */
  guard(request: ClientRequest): void {
    this.#request = request;
  }

  /** Ends the call. Returns the failure: `error`, unless deadline or signal came first. */
  end(error?: unknown): unknown {
    if (this.#timer) clearTimeout(this.#timer);
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort);
    if (this.failure === null && error !== undefined) this.failure = unavailable(error);
    return this.failure;
  }

  /** Ends the call with `reason`, even before it has begun. */
  fail(reason: unknown): void {
    this.failure ??= reason;
    this.#request?.destroy(new Error('The call was ended'));
  }
}

function streamed(response: IncomingMessage, call: Call): StreamedAnswer {
  // Without a listener, a cut before the first read would be lost.
  response.on('error', (error) => call.end(error));
  response.once('close', () => call.end());
  return {
    status: response.statusCode ?? 0,
    destroy: () => response.destroy(),
    async *[Symbol.asyncIterator]() {
      try {
        if (call.failure) throw call.failure;
        for await (const chunk of response) yield chunk as Buffer;
      } catch (error) {
        throw call.end(error);
      } finally {
        response.destroy();
      }
      if (!response.complete) throw call.end(new Error('The answer was cut'));
    },
  };
}

async function collected(answer: StreamedAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new EngineError('unavailable', 'The engine sent too large an answer');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsedBody(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    // Engines and proxies also answer in plain text, which is returned as it is.
    return text;
  }
}

/** The engine's error text in an answer's body, '' when there is none. */
export function messageOf(body: unknown): string {
  if (typeof body === 'string') return body.trim();
  const message = (body as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : '';
}

function unavailable(error: unknown): EngineError {
  if (error instanceof EngineError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new EngineError('unavailable', `The engine cannot be reached: ${text}`, { cause: error });
}

function targetOf(host: string): RequestOptions {
  if (host.startsWith('unix:///')) return { socketPath: host.slice('unix://'.length) };
  const url = URL.canParse(host) ? new URL(host) : null;
  if (url?.protocol !== 'tcp:' || !url.hostname) throw new Error(`Not an address of an engine: ${host}`);
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port || 2375) };
}

/** The request path with its query string. */
export function pathWithQuery(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) parameters.set(key, String(value));
  return parameters.size > 0 ? `${path}?${parameters}` : path;
}

function chosenVersion(body: unknown): string {
  const { ApiVersion, MinAPIVersion } = (body ?? {}) as { ApiVersion?: string; MinAPIVersion?: string };
  if (ApiVersion && isBelow(ApiVersion, wantedVersion)) return ApiVersion;
  if (MinAPIVersion && isBelow(wantedVersion, MinAPIVersion)) return MinAPIVersion;
  return wantedVersion;
}

function isBelow(left: string, right: string): boolean {
  const [leftMajor = 0, leftMinor = 0] = left.split('.').map(Number);
  const [rightMajor = 0, rightMinor = 0] = right.split('.').map(Number);
  return leftMajor === rightMajor ? leftMinor < rightMinor : leftMajor < rightMajor;
}
