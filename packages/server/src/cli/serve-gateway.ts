// `botel serve --role gateway`: the apps gateway alone, on the store of a running server.
import { openGatewayProcess } from '../gateway/compose.ts';
import { armFailpoint } from '../core/lib/failpoint.ts';
import { endWithSignal, loggerOf, printApps } from './foreground.ts';
import { ownConfig } from './own-config.ts';

export async function serveGateway(): Promise<void> {
  const config = ownConfig();
  if (config.failpoint) armFailpoint(config.failpoint);
  const gateway = await openGatewayProcess(config, { logger: loggerOf(config) });
  const address = await gateway.open().catch(async (error) => {
    await gateway.close();
    throw error;
  });
  printApps(address);
  await endWithSignal((signal) => {
    console.log(`\nEnding on ${signal}.`);
    return gateway.close();
  });
}
