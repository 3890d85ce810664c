// The agent's end of its socket: serves the agent's routes and its link with an api. File
// permissions of the socket decide who may connect.
import { chmodSync, chownSync, lstatSync, rmSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { groupId } from '../core/data-folder/share-data.ts';
import type { DiskUse } from '../core/domain/quota.ts';
import { diskUsePath } from '../core/link/agent-client.ts';
import { LinkConnection, type LinkEndpoint, linkPath, linkProtocol } from '../core/link/link-connection.ts';
import { pollChanges } from '../core/link/poll-changes.ts';

interface Deps {
  /** Serves the agent's routes; closed with the server. */
  app: FastifyInstance;
  endpoint: LinkEndpoint;
  path: string;
  /** Group that may connect; '' = that of this process. */
  group: string;
  /** See Database.dataVersion. */
  dataVersion(): Promise<number>;
  diskUse(botId: string, options: { exact: boolean }): Promise<DiskUse>;
  /** Receives every disk count that the api requests. */
  noteDisk(botId: string, use: DiskUse): void;
}

export class AgentSocketServer {
  readonly #deps: Deps;
  readonly #open = new Set<LinkConnection>();
  readonly #stopPolling: () => void;
  #isClosed = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { app, dataVersion } = deps;
    const isNeeded = () => this.#open.size === 0;
    this.#stopPolling = pollChanges({ version: dataVersion, isNeeded, changed: () => this.#notifyAll() });
    app.server.on('upgrade', (request, socket: Duplex) => this.#upgrade(request.url, socket));
    // Closed after an invalid body, the api would see an error instead of the answer.
    app.addHook('onSend', (_request, reply, payload, done) => {
      reply.removeHeader('connection');
      done(null, payload);
    });
    app.get<{ Params: { id: string }; Querystring: { exact?: string } }>(
      `${diskUsePath}/:id`,
      async ({ params, query }) => {
        const use = await deps.diskUse(params.id, { exact: query.exact !== undefined });
        deps.noteDisk(params.id, use);
        return use;
      },
    );
  }

  /** Resolves with the address. Throws when the path is taken by something else. */
  async open(): Promise<string> {
    const { app, path, group } = this.#deps;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && !found.isSocket()) throw new Error(`${path} is there and is not a socket`);
    if (found) rmSync(path);
    await app.listen({ path });
    if (group !== '') chownSync(path, process.getuid?.() ?? 0, groupId(group));
    chmodSync(path, 0o660);
    return `unix:${path}`;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopPolling();
    for (const link of this.#open) link.close();
    await this.#deps.app.close();
  }

  #upgrade(url: string | undefined, socket: Duplex): void {
    if (url !== linkPath || this.#isClosed) return void socket.destroy();
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${linkProtocol}\r\n\r\n`);
    void this.#follow(new LinkConnection(socket, this.#deps.endpoint));
  }

  /** Checks for what the api wrote before it connected, or could no longer announce. */
  async #follow(link: LinkConnection): Promise<void> {
    this.#open.add(link);
    this.#notifyAll();
    await link.ended;
    this.#open.delete(link);
    if (!this.#isClosed) this.#notifyAll();
  }

  #notifyAll(): void {
    for (const subscription of this.#deps.endpoint.subscriptions) subscription.onAnyKey();
  }
}
