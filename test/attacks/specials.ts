// Entries of an attacked home that are no files: a FIFO, a socket, a device and links. They are put
// back when a verb has removed or replaced them.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { lchownSync, lstatSync, mkdirSync, rmSync, type Stats, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

interface Special {
  is(stats: Stats): boolean;
  make(path: string): void | Promise<void>;
}

export const specialNames = ['fifo', 'socket', 'device', 'link', 'links', 'self', 'deep'] as const;

const lookEveryMs = 100;

export class Specials implements AsyncDisposable {
  readonly #home: string;
  readonly #uid: number;
  readonly #kinds: Record<(typeof specialNames)[number], Special>;
  readonly #servers: Server[] = [];

  constructor(home: string, uid: number, outside: string) {
    this.#home = home;
    this.#uid = uid;
    const linkTo = (target: string): Special => ({
      is: (stats) => stats.isSymbolicLink(),
      make: (path) => symlinkSync(target, path),
    });
    this.#kinds = {
      fifo: { is: (stats) => stats.isFIFO(), make: (path) => void execFileSync('mkfifo', [path]) },
      device: {
        is: (stats) => stats.isCharacterDevice(),
        make: (path) => void execFileSync('mknod', [path, 'c', '1', '5']),
      },
      socket: { is: (stats) => stats.isSocket(), make: (path) => this.#listen(path) },
      link: linkTo(join(outside, 'secret')),
      links: linkTo(join(outside, 'folder')),
      self: linkTo('.'),
      deep: { is: (stats) => stats.isDirectory(), make: (path) => mkdirSync(path) },
    };
  }

  /** Makes those that are missing. */
  async place(): Promise<void> {
    for (const name of specialNames) {
      const path = join(this.#home, name);
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats && this.#kinds[name].is(stats)) continue;
      try {
        rmSync(path, { recursive: true, force: true });
        await this.#kinds[name].make(path);
        lchownSync(path, this.#uid, this.#uid);
      } catch (error) {
        // A verb may have been quicker.
        if (!lstatSync(path, { throwIfNoEntry: false })) throw error;
      }
    }
  }

  async keep(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.place();
      await delay(lookEveryMs);
    }
  }

  async #listen(path: string): Promise<void> {
    const server = createServer();
    this.#servers.push(server);
    await once(server.listen(path), 'listening');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}
