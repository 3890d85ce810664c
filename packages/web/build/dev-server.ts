// `npm run dev`: serves the dashboard from its sources, with hot reload, on DEV_PORT, and forwards
// all other requests to a Botel server: the one at DEV_API, or one it starts itself with the fake
// engine and its own data folder.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer } from 'vite';
import { viteConfig, webRoot } from './vite-config.ts';

const checkout = join(webRoot, '../..');
const admin = { BOTEL_ADMIN_EMAIL: 'dev@example.com', BOTEL_ADMIN_PASSWORD: 'development only' };

const target = process.env.DEV_API ?? (await startApi());
const vite = await createServer({
  ...viteConfig,
  server: {
    port: Number(process.env.DEV_PORT ?? 5173),
    // The API reference comes from the last build: it has no sources to serve.
    // Keeps the browser's Host header: the server compares it with Origin.
    proxy: { '^/(?!dashboard/)': { target }, '/dashboard/docs/': { target } },
  },
});
await vite.listen();
vite.printUrls();
if (!process.env.DEV_API)
  console.log(`  Sign in as ${admin.BOTEL_ADMIN_EMAIL}, password "${admin.BOTEL_ADMIN_PASSWORD}"`);

/** Resolves with the server's address. This process and the server end together. */
function startApi(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const settings = {
    BOTEL_PORT: '0',
    BOTEL_GATEWAY_PORT: '0',
    BOTEL_ENGINE: 'fake',
    BOTEL_DATA_DIR: join(checkout, 'data/dev'),
    ...admin,
  };
  const api = spawn(process.execPath, [join(checkout, 'packages/server/src/main.ts'), 'serve'], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    // Own process group: Ctrl+C reaches this process only. A second signal would skip a clean exit.
    detached: true,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => api.kill(signal));
  process.once('exit', () => api.kill());
  api.once('exit', (code) => process.exit(code ?? 1));
  createInterface(api.stdout).on('line', (line) => {
    const address = /^Botel listens on (\S+)$/.exec(line)?.[1];
    if (address) resolve(address);
    else console.log(line);
  });
  return promise;
}
