// What becomes of a server whose gateway can't listen: one that was named must be had, the usual
// one may be another program's.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { loadConfig } from '../../src/core/config/config.ts';
import { Server } from '../../src/cli/server.ts';

const directory = mkdtempSync(join(tmpdir(), 'botel-gateway-port-'));
const other = createServer().listen(0, '127.0.0.1');
await once(other, 'listening');
const { port: taken } = other.address() as AddressInfo;
after(() => {
  other.close();
  rmSync(directory, { recursive: true, force: true });
});

function makeServer(settings: Record<string, string>): Promise<Server> {
  const config = loadConfig(
    { BOTEL_PORT: '0', BOTEL_DATA_DIR: directory, BOTEL_ENGINE: 'fake', ...settings },
    directory,
  );
  // As if nobody had named it.
  const usual = settings.BOTEL_GATEWAY_PORT === undefined ? { gatewayPort: taken } : {};
  return Server.create({ ...config, ...usual }, { logger: pino({ level: 'silent' }), periodicTasks: false });
}

test('the usual port is taken: the API answers, apps are not served', async () => {
  const server = await makeServer({});
  const url = await server.start();
  assert.equal(server.appsAddress, null);
  assert.equal((await fetch(`${url}/health`)).status, 200);
  await server.stop();
});

test('the named port is taken: nothing is served, and the error names the port', async () => {
  const server = await makeServer({ BOTEL_GATEWAY_PORT: String(taken) });
  await assert.rejects(server.start(), new RegExp(`port ${taken} on 127\\.0\\.0\\.1 is taken by another program`));
  await server.stop();
});
