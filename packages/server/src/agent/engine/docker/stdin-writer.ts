// Writes to the stdin of containers by the attach call, one connection per text. Attaches to stdin
// only: a slow reader of the output would throttle the program.
import type { Duplex } from 'node:stream';
import { EngineError } from '../engine.ts';
import type { DockerClient } from './client.ts';

const openDeadlineMs = 2_000;
const takeDeadlineMs = 2_000;

export class StdinWriter {
  readonly #client: Pick<DockerClient, 'connect'>;
  /** Connections by container; null while one is being opened. */
  readonly #open = new Map<string, Duplex | null>();

  constructor(client: Pick<DockerClient, 'connect'>) {
    this.#client = client;
  }

  /**
   * See Engine.writeStdin; `isReady` reports whether the container runs and has a stdin. A program
   * that does not read keeps one connection open; no second one is opened.
   */
  async write(containerId: string, text: string, isReady: () => Promise<boolean>): Promise<void> {
    if (!(await isReady())) throw new EngineError('refused', 'The container does not run, or has no stdin');
    if (this.#open.has(containerId)) throw unread();
    try {
      await taken(await this.#connect(containerId), text);
    } catch (error) {
      if (await isReady()) throw error;
      // The program has ended: the engine would keep the connection waiting for ever.
      this.#open.get(containerId)?.destroy();
      throw new EngineError('refused', 'The container has ended', { cause: error });
    }
  }

  async #connect(containerId: string): Promise<Duplex> {
    this.#open.set(containerId, null);
    const closed = () => void this.#open.delete(containerId);
    const options = { query: { stream: true, stdin: true }, timeoutMs: openDeadlineMs };
    try {
      const connection = await this.#client.connect(`/containers/${containerId}/attach`, options);
      this.#open.set(containerId, connection);
      return connection.once('close', closed);
    } catch (error) {
      closed();
      throw error;
    }
  }
}

/** Resolves when the engine has passed on everything: it then ends the connection. */
function taken(connection: Duplex, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unread()), takeDeadlineMs);
    const cut = (error?: Error) => {
      clearTimeout(timer);
      reject(new EngineError('unavailable', 'The connection to the engine was cut', { cause: error }));
    };
    connection.once('end', () => {
      clearTimeout(timer);
      resolve();
    });
    connection.on('error', cut);
    connection.once('close', () => cut());
    connection.resume();
    connection.end(text);
  });
}

function unread(): EngineError {
  return new EngineError('unread', 'The program does not read its stdin');
}
