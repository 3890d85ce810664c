// What the two halves of a Botel tell each other while they are connected: "something about <key> changed", as lines of
// JSON. Hints carry no truth: what is lost with the connection is found in the store. Must not know what a name stands for.
import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** What this half tells. `valueOf` is sent beside a key where the store does not hold it; all of it at the beginning. */
export interface Told {
  name: string;
  /** Calls `tell` for each change until the returned function is called. */
  listen(tell: (key: string) => void): () => void;
  valueOf?(key: string): unknown;
  everything?(): Iterable<string>;
}

/** What this half is told. `hearAll`: anything may have changed. Must not throw. */
export interface Heard {
  name: string;
  hear(key: string, value: unknown): void;
  hearAll(): void;
}

export interface Side {
  tells: Told[];
  hears: Heard[];
  /** Facts that the other half always needs; sent at the beginning and with each sign of life. */
  state(): unknown;
}

const pingMs = 2_000;
/** A half that is silent for so long counts as gone. */
const silenceMs = 10_000;
const lineUnits = 64 * 1024;

/** One connection, from its first line to its end. */
export class Hints {
  /** Resolves when the connection is over. */
  readonly ended: Promise<void>;
  /** What the other half's `state` said last; undefined before. */
  state: unknown;
  readonly #connection: Duplex;
  readonly #side: Side;
  readonly #hears: Map<string, Heard>;
  /** Keys to be told, by name: each once, however often it changes before the other half takes it. */
  readonly #due = new Map<Told, Set<string>>();
  #isFlushing = false;
  #rest = '';
  #lastHeard = performance.now();

  constructor(connection: Duplex, side: Side) {
    this.#connection = connection;
    this.#side = side;
    this.#hears = new Map(side.hears.map((heard) => [heard.name, heard]));
    const stops = side.tells.map((told) => told.listen((key) => this.#tell(told, key)));
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
    // A socket that was an HTTP connection takes no encoding.
    const decoder = new StringDecoder('utf8');
    connection.on('data', (bytes: Buffer) => this.#take(decoder.write(bytes)));
    this.#write({ state: side.state() });
    for (const told of side.tells) for (const key of told.everything?.() ?? []) this.#tell(told, key);
  }

  close(): void {
    this.#connection.destroy();
  }

  #beat(): void {
    if (performance.now() - this.#lastHeard > silenceMs) this.#connection.destroy();
    else if (!this.#connection.writableNeedDrain) this.#write({ state: this.#side.state() });
  }

  #tell(told: Told, key: string): void {
    const keys = this.#due.get(told);
    if (keys) keys.add(key);
    else this.#due.set(told, new Set([key]));
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    for (const [told, keys] of this.#due) {
      for (const key of keys) {
        if (this.#connection.destroyed) return;
        if (this.#connection.writableNeedDrain) return void this.#connection.once('drain', () => this.#flush());
        keys.delete(key);
        this.#write({ name: told.name, key, value: told.valueOf?.(key) });
      }
      this.#due.delete(told);
    }
    this.#isFlushing = false;
  }

  #write(line: object): void {
    this.#connection.write(`${JSON.stringify(line)}\n`);
  }

  #take(text: string): void {
    this.#lastHeard = performance.now();
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    try {
      if (this.#rest.length > lineUnits) throw new Error('A line is too long');
      for (const line of lines) this.#hear(JSON.parse(line) as Line);
    } catch {
      // It does not speak as we do: better no connection than a wrong one.
      this.#connection.destroy();
    }
  }

  #hear(line: Line): void {
    if ('state' in line) this.state = line.state;
    else if (line.name !== undefined) this.#hears.get(line.name)?.hear(String(line.key), line.value);
  }
}

interface Line {
  state?: unknown;
  name?: string;
  key?: string;
  value?: unknown;
}
