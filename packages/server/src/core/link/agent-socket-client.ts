// The api's end of the socket of the agent: keeps a connection of hints open, knows whether the agent answers, and sends
// whole requests on to it. Must not read what goes through, nor keep any of it.
import { type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Hints, type Side } from './hints.ts';
import { pollChanges } from './poll-changes.ts';

/** Path of the upgrade that becomes a connection of hints. */
export const hintsPath = '/agent/hints';
const hintsProtocol = 'botel-hints';
const reconnectMs = 250;
const connectMs = 5_000;

export interface ForwardedRequest {
  method: string;
  /** Path and query as the client sent them. */
  url: string;
  headers: OutgoingHttpHeaders;
  /** Null = none. */
  body: Readable | null;
  /** Ends the request, and the answer while it is read. */
  signal: AbortSignal;
}

interface Options {
  socketPath: string;
  side: Side;
  /** See Database.dataVersion. */
  version(): Promise<number>;
  /** Told of each change of whether the agent answers. */
  report(isUp: boolean): void;
}

export class AgentSocketClient {
  readonly #options: Options;
  readonly #stop = new AbortController();
  #hints: Hints | null = null;
  /** Aborted when the agent is gone, however silently: what waits for it ends. */
  #present = new AbortController();
  #stopPolling: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whether the agent answers. */
  get answers(): boolean {
    return this.#hints !== null;
  }

  /** What the agent's `state` said last; undefined while it does not answer. */
  get state(): unknown {
    return this.#hints?.state;
  }

  /** Resolves when it is known whether the agent answers. */
  async start(): Promise<void> {
    const { version } = this.#options;
    this.#stopPolling = pollChanges({ version, isNeeded: () => !this.answers, changed: () => this.#hearAll() });
    const { promise: firstTry, resolve } = Promise.withResolvers<void>();
    this.#running = this.#keepConnected(resolve);
    await firstTry;
  }

  async stop(): Promise<void> {
    this.#stopPolling();
    this.#stop.abort();
    this.#hints?.close();
    await this.#running;
  }

  /** Resolves with the head of the agent's answer; rejects when the agent is away, goes away or the signal aborts. */
  forward({ method, url, headers, body, signal }: ForwardedRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      if (!this.answers) throw new Error('The agent does not answer');
      const ending = AbortSignal.any([signal, this.#present.signal]);
      const { socketPath } = this.#options;
      const request = httpRequest({
        socketPath,
        method,
        path: url,
        // Used once, but closed here: the agent may answer before the end of the request is written, and its closing would be
        // an error in place of the answer.
        headers: { ...headers, connection: 'keep-alive' },
        agent: false,
        signal: ending,
      });
      request.once('response', resolve);
      request.on('error', reject);
      if (!body) return request.end();
      // Not a pipeline: that would cut the client off when the agent answers before it has read all.
      request.once('close', () => body.unpipe(request).resume());
      body.once('close', () => body.readableEnded || request.destroy());
      body.pipe(request);
    });
  }

  async #keepConnected(tried: () => void): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const connection = await connect(this.#options.socketPath).catch(() => null);
      if (connection && !signal.aborted) await this.#follow(connection, tried);
      connection?.destroy();
      tried();
      await delay(reconnectMs, undefined, { signal }).catch(() => {
        // Only stop() ends it early.
      });
    }
  }

  async #follow(connection: Duplex, connected: () => void): Promise<void> {
    const hints = new Hints(connection, this.#options.side);
    this.#present = new AbortController();
    this.#hints = hints;
    this.#options.report(true);
    this.#hearAll();
    connected();
    await hints.ended;
    this.#hints = null;
    this.#present.abort();
    this.#options.report(false);
    this.#hearAll();
  }

  #hearAll(): void {
    for (const heard of this.#options.side.hears) heard.hearAll();
  }
}

function connect(socketPath: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: hintsProtocol };
    const request = httpRequest({ socketPath, path: hintsPath, headers, agent: false, timeout: connectMs });
    request.once('upgrade', (_response, socket) => {
      socket.setTimeout(0);
      resolve(socket);
    });
    request.once('response', () => {
      request.destroy();
      reject(new Error('The agent speaks another language'));
    });
    request.once('timeout', () => request.destroy(new Error('The agent did not answer in time')));
    request.on('error', reject);
    request.end();
  });
}
