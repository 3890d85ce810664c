// `botel up`: sets up the engine, then serves; --tls adds a Caddy in front, --demo a running bot.
import { createInterface } from 'node:readline/promises';
import { askEngine, setUpEngine } from './setup/set-up-engine.ts';
import { appsUrlFor } from './apps-url.ts';
import { runDemo } from './demo.ts';
import { exitSoon, printApps } from './foreground.ts';
import { ownConfig } from './own-config.ts';
import { startServer } from './serve.ts';
import { prepareCaddy } from './tls.ts';

export interface UpOptions {
  demo?: boolean;
  tls?: boolean;
  yes?: boolean;
}

export async function up(options: UpOptions): Promise<void> {
  const settings = ownConfig();
  const front = options.tls ? await prepareCaddy(settings) : null;
  const config = {
    ...settings,
    appsUrl: appsUrlFor(settings, front !== null),
    ...(front && { publicUrl: front.address }),
  };
  if (config.engine === 'docker') {
    await agreeToInstall(config.dockerHost, options);
    await setUpEngine({
      dockerHost: config.dockerHost,
      dataDirectory: config.dataDirectory,
      containerRuntime: config.containerRuntime,
      progress: (text) => console.log(text),
    });
  }
  const running = await startServer(config);
  console.log(`Botel listens on ${running.url}`);
  printApps(running.server.appsAddress);
  const caddy = await front?.start(running.url, running.server.appsAddress).catch(async (error) => {
    await running.server.stop();
    throw error;
  });
  const demoEnd = new AbortController();
  const { signal } = demoEnd;
  // The demo's stream ends with the server and must not count as broken then.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.prependOnceListener(name, () => demoEnd.abort());
  if (options.demo) await runDemo(running.server, running.url, config, signal);
  else await running.printSetup();
  await running.ended;
  await caddy?.stop();
  exitSoon();
}

/** Asks on a terminal before installing an engine, unless --demo or --yes is given. */
async function agreeToInstall(dockerHost: string, options: UpOptions): Promise<void> {
  if (options.yes || options.demo || !process.stdin.isTTY || !process.stdout.isTTY) return;
  if ((await askEngine(dockerHost)) !== 'no') return;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(
    `No container engine answers at ${dockerHost}. Install or start one now? [Y/n] `,
  );
  terminal.close();
  if (/^n/i.test(answer.trim())) throw new Error('Botel needs a container engine: start one, or set BOTEL_DOCKER_HOST');
}
