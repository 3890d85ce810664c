// The api's end of the agent's socket: an open link, and forwarded requests.
import { type IncomingMessage, type OutgoingHttpHeaders, request as httpRequest } from 'node:http';
import type { Duplex, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { LinkConnection, type LinkEndpoint, linkPath, linkProtocol } from '../core/link/link-connection.ts';
import type { AgentState } from '../core/link/agent-client.ts';
import { pollChanges } from '../core/link/poll-changes.ts';

const reconnectMs = 250;
const connectMs = 5_000;

interface ForwardedRequest {
  method: string;
  /** Path and query as sent by the client. */
  url: string;
  headers: OutgoingHttpHeaders;
  /** Null = none. */
  body: Readable | null;
  /** Aborts the request, and the answer while it is being read. */
  signal: AbortSignal;
}

export interface ConnectionOptions {
  socketPath: string;
  endpoint: LinkEndpoint;
  /** See Database.dataVersion. */
  version(): Promise<number>;
  /** Called when the agent starts or stops answering. */
  report(isUp: boolean): void;
}

export class AgentConnection {
  readonly #options: ConnectionOptions;
  readonly #stop = new AbortController();
  #link: LinkConnection | null = null;
  /** Aborted when the agent is gone, even silently: ends everything that waits for it. */
  #present = new AbortController();
  #stopPolling: () => void = () => {};
  #running: Promise<void> = Promise.resolve();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  answers(): boolean {
    return this.#link !== null;
  }

  /** The agent's newest state; undefined while it does not answer. */
  get state(): AgentState | undefined {
    return this.#link?.state as AgentState | undefined;
  }

  /** Resolves when it is known whether the agent answers. */
  async start(): Promise<void> {
    const { version } = this.#options;
    this.#stopPolling = pollChanges({ version, isNeeded: () => !this.answers(), changed: () => this.#notifyAll() });
    const { promise: firstTry, resolve } = Promise.withResolvers<void>();
    this.#running = this.#keepConnected(resolve);
    await firstTry;
  }

  async stop(): Promise<void> {
    this.#stopPolling();
    this.#stop.abort();
    this.#link?.close();
    await this.#running;
  }

  /**
   * Resolves with the head of the answer; rejects when the agent goes down or the signal aborts.
   */
  send({ method, url, headers, body, signal }: ForwardedRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      if (!this.answers()) throw new Error('The agent does not answer');
      const ending = AbortSignal.any([signal, this.#present.signal]);
      const { socketPath } = this.#options;
      const request = httpRequest({
        socketPath,
        method,
        path: url,
        // This end closes: the agent may answer before the whole request is written, and its close
        // would then be an error instead of the answer.
        headers: { ...headers, connection: 'keep-alive' },
        agent: false,
        signal: ending,
      });
      request.once('response', resolve);
      request.on('error', reject);
      if (!body) return request.end();
      // Not a pipeline, which cuts off the client when the agent answers before reading everything.
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
    const link = new LinkConnection(connection, this.#options.endpoint);
    this.#present = new AbortController();
    this.#link = link;
    this.#options.report(true);
    this.#notifyAll();
    connected();
    await link.ended;
    this.#link = null;
    this.#present.abort();
    // At the end of this process nobody listens any more, and the store is about to close.
    if (this.#stop.signal.aborted) return;
    this.#options.report(false);
    this.#notifyAll();
  }

  #notifyAll(): void {
    for (const subscription of this.#options.endpoint.subscriptions) subscription.onAnyKey();
  }
}

function connect(socketPath: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = { connection: 'Upgrade', upgrade: linkProtocol };
    const request = httpRequest({ socketPath, path: linkPath, headers, agent: false, timeout: connectMs });
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
