// For console tests: a running bot whose output the test writes, and connections the test can cut.
import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { type Fixture, goodBot } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';

export interface LogSource {
  botId: string;
  /** Writes a line to its output. */
  write(text: string, stream?: 'stdout' | 'stderr'): void;
}

/** Makes a bot and starts it. */
export async function startLogSource({ client, machine }: Fixture, name: string): Promise<LogSource> {
  const { id: botId } = await client.createBot({ ...goodBot, name, memory: 128, startup_command: 'node echo' });
  await client.lifecycle('start', botId);
  await until(async () => (await client.bot(botId)).status === 'online');
  const container = machine.containers().find((each) => each.botId === botId);
  if (!container) throw new Error('the bot has no container');
  return {
    botId,
    write: (text, stream = 'stdout') => machine.log.write(container.containerId, { text, stream, at: Date.now() }),
  };
}

/** A proxy in front of the server. */
export interface CuttingProxy {
  url: string;
  /** While true, connections are refused. */
  isDown: boolean;
  /** Drops all open connections. */
  cut(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startCuttingProxy(serverUrl: string): Promise<CuttingProxy> {
  const port = Number(new URL(serverUrl).port);
  const open = new Set<Socket>();
  const server = createServer((inside) => {
    if (proxy.isDown) return void inside.destroy();
    const outside = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      open.add(one);
      one.pipe(other);
      // Dropped connections raise errors in requests under way.
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const proxy: CuttingProxy = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    isDown: false,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
