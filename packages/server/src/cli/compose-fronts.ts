// The part of the composition root that listens: on a port for everybody, or on a socket for the api alone. Must not be
// imported by anything but server.ts.
import type { AddressInfo } from 'node:net';
import { composeApp } from './compose-app.ts';
import type { Data } from './compose-data.ts';
import { answerDiskUse } from './compose-link.ts';
import type { BotFolders } from './compose-homes.ts';
import type { Config } from '../core/config/config.ts';
import { AgentSocketServer, clearSocket, guardSocket } from '../core/link/agent-socket-server.ts';
import type { AgentSocketClient } from '../core/link/agent-socket-client.ts';
import type { Side } from '../core/link/hints.ts';
import type { Services } from '../api/services/services.ts';
import { groupId } from '../core/data-folder/share-data.ts';

/** What requests come in by. */
export interface Front {
  /** Listens; resolves with the address under which it is reached on this machine. */
  open(): Promise<string>;
  /** Resolves when no request is under way. */
  close(): Promise<void>;
}

/** The api has counted already. */
const unlimited = {
  rates: { user: 1e9, lifecycle: 1e9, signIn: 1e9, public: 1e9 },
  connections: { most: 1e9, perAddress: 1e9 },
};

/** The API; with a `link` what needs files of bots is sent on over it. */
export async function publicFront(
  config: Config,
  { data, services, link }: { data: Data; services: Services; link: AgentSocketClient | null },
): Promise<Front> {
  const forward = link && ((request: Parameters<AgentSocketClient['forward']>[0]) => link.forward(request));
  const app = await composeApp(config, { ...data, services }, { forward });
  return {
    async open() {
      await link?.start();
      await app.listen({ host: config.host, port: config.port });
      const { address, port, family } = app.server.address() as AddressInfo;
      return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    },
    async close() {
      await app.close();
      await link?.stop();
    },
  };
}

/** The socket of the agent: the routes that need files of bots, and hints. */
export async function agentFront(
  config: Config,
  { data, services, folders, side }: { data: Data; services: Services; folders: BotFolders; side: Side },
): Promise<Front> {
  const app = await composeApp(config, { ...data, services }, { ...unlimited, routes: 'homes' });
  app.route(answerDiskUse(data, folders));
  const door = new AgentSocketServer(side, () => data.database.dataVersion());
  door.serve(app.server);
  const group = config.apiGroup === '' ? null : groupId(config.apiGroup);
  return {
    async open() {
      clearSocket(config.agentSocket);
      await app.listen({ path: config.agentSocket });
      guardSocket(config.agentSocket, group);
      return `unix:${config.agentSocket}`;
    },
    async close() {
      door.close();
      await app.close();
    },
  };
}
