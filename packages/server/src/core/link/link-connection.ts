// The link between api and agent: lines of JSON that say "something about <key> changed". Such a
// wake-up carries no state, which is in the store, except for what is not stored (`valueOf`,
// `state`).
import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Topic } from '../lib/topic.ts';

/** `valueOf`: what the store does not hold; `everything`: keys sent when the connection opens. */
export interface Publication {
  name: string;
  /** Calls `publish` for each change until the returned function is called. */
  listen(publish: (key: string) => void): () => void;
  valueOf?(key: string): unknown;
  everything?(): Iterable<string>;
}

/** A topic of the other end; callbacks must not throw. `onAnyKey`: any key may have changed. */
export interface Subscription {
  name: string;
  onKey(key: string, value: unknown): void;
  onAnyKey(): void;
}

export interface LinkEndpoint {
  publications: Publication[];
  subscriptions: Subscription[];
  /** State that the other end always needs; sent when the connection opens and with each ping. */
  state(): unknown;
}

/** Path and protocol of the HTTP upgrade to a link. */
export const linkPath = '/agent/link';
export const linkProtocol = 'botel-link';
const pingMs = 2_000;
/** An end that is silent for this long counts as dead. */
const silenceMs = 10_000;
const lineUnits = 64 * 1024;

/** One connection, from its first line to its end. */
export class LinkConnection {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  /** The other end's newest `state`; undefined before the first. */
  state: unknown;
  readonly #connection: Duplex;
  readonly #endpoint: LinkEndpoint;
  readonly #subscriptions: Map<string, Subscription>;
  /** Keys to send, each once however often it changes before the other end reads it. */
  readonly #due = new Map<Publication, Set<string>>();
  #isFlushing = false;
  #rest = '';
  #lastReceivedAt = performance.now();

  constructor(connection: Duplex, endpoint: LinkEndpoint) {
    this.#connection = connection;
    this.#endpoint = endpoint;
    this.#subscriptions = new Map(endpoint.subscriptions.map((subscription) => [subscription.name, subscription]));
    const stops = endpoint.publications.map((publication) =>
      publication.listen((key) => this.#enqueue(publication, key)),
    );
    const timer = setInterval(() => this.#beat(), pingMs);
    timer.unref();
    this.ended = new Promise((resolve) => {
      connection.once('close', () => {
        clearInterval(timer);
        for (const stop of stops) stop();
        resolve();
      });
    });
    // `close` follows.
    connection.on('error', () => connection.destroy());
    connection.once('end', () => connection.destroy());
    // A socket of an upgraded HTTP connection accepts no encoding.
    const decoder = new StringDecoder('utf8');
    connection.on('data', (bytes: Buffer) => this.#take(decoder.write(bytes)));
    this.#write({ state: endpoint.state() });
    for (const publication of endpoint.publications)
      for (const key of publication.everything?.() ?? []) this.#enqueue(publication, key);
  }

  close(): void {
    this.#connection.destroy();
  }

  #beat(): void {
    if (performance.now() - this.#lastReceivedAt > silenceMs) this.#connection.destroy();
    else if (!this.#connection.writableNeedDrain) this.#write({ state: this.#endpoint.state() });
  }

  #enqueue(publication: Publication, key: string): void {
    const keys = this.#due.get(publication);
    if (keys) keys.add(key);
    else this.#due.set(publication, new Set([key]));
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    for (const [publication, keys] of this.#due) {
      for (const key of keys) {
        if (this.#connection.destroyed) return;
        if (this.#connection.writableNeedDrain) return void this.#connection.once('drain', () => this.#flush());
        keys.delete(key);
        this.#write({ name: publication.name, key, value: publication.valueOf?.(key) });
      }
      this.#due.delete(publication);
    }
    this.#isFlushing = false;
  }

  #write(line: object): void {
    this.#connection.write(`${JSON.stringify(line)}\n`);
  }

  #take(text: string): void {
    this.#lastReceivedAt = performance.now();
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    try {
      if (this.#rest.length > lineUnits) throw new Error('A line is too long');
      for (const line of lines) this.#receive(JSON.parse(line) as Line);
    } catch {
      // The protocol does not match: no connection is better than a wrong one.
      this.#connection.destroy();
    }
  }

  #receive(line: Line): void {
    if ('state' in line) this.state = line.state;
    else if (line.name !== undefined) this.#subscriptions.get(line.name)?.onKey(String(line.key), line.value);
  }
}

interface Line {
  state?: unknown;
  name?: string;
  key?: string;
  value?: unknown;
}

/** Publishes every key of a topic. */
export function publicationOf(name: string, topic: Topic): Publication {
  return { name, listen: (publish) => topic.onAny(publish) };
}
