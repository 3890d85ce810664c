// The agent's end of its socket: who connects to it, and the connections of hints. Who may connect is what the rights of
// the socket say. Requests are the application's that listens on it.
import { chmodSync, chownSync, lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { hintsPath } from './agent-socket-client.ts';
import { Hints, type Side } from './hints.ts';
import { pollChanges } from './poll-changes.ts';

export class AgentSocketServer {
  readonly #side: Side;
  readonly #open = new Set<Hints>();
  readonly #stopPolling: () => void;
  #isClosed = false;

  /** `version`: see Database.dataVersion. */
  constructor(side: Side, version: () => Promise<number>) {
    this.#side = side;
    const isNeeded = () => this.#open.size === 0;
    this.#stopPolling = pollChanges({ version, isNeeded, changed: () => this.#hearAll() });
  }

  /** Takes the upgrades of a server. */
  serve(server: Server): void {
    server.on('upgrade', (request, socket: Duplex) => {
      if (request.url !== hintsPath || this.#isClosed) return void socket.destroy();
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: botel-hints\r\n\r\n');
      void this.#follow(new Hints(socket, this.#side));
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#stopPolling();
    for (const hints of this.#open) hints.close();
  }

  /** What the api wrote while nobody listened, and what it could not tell any more, is looked for. */
  async #follow(hints: Hints): Promise<void> {
    this.#open.add(hints);
    this.#hearAll();
    await hints.ended;
    this.#open.delete(hints);
    if (!this.#isClosed) this.#hearAll();
  }

  #hearAll(): void {
    for (const heard of this.#side.hears) heard.hearAll();
  }
}

/** Removes the socket that an earlier process left. Throws when something else has its path. */
export function clearSocket(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isSocket()) throw new Error(`${path} is there and is not a socket`);
  rmSync(path);
}

/** Lets the owner and the group connect; `group` null = that of this process. */
export function guardSocket(path: string, group: number | null): void {
  if (group !== null) chownSync(path, process.getuid?.() ?? 0, group);
  chmodSync(path, 0o660);
}
