// The apps URL that `botel up` shows: one that works on this machine without further setup.
import type { Config } from '../core/config/config.ts';

type Settings = Pick<Config, 'appsUrl' | 'appsDomain' | 'httpsPort' | 'gatewayPort'>;

/**
 * URL of apps with `*` for the name. BOTEL_APPS_URL takes precedence; behind the Caddy of `up
 * --tls` it has Caddy's port; names below localhost point to the gateway itself; any other domain
 * needs an external proxy.
 */
export function appsUrlFor({ appsUrl, appsDomain, httpsPort, gatewayPort }: Settings, behindCaddy: boolean): string {
  if (appsUrl !== `https://*.${appsDomain}`) return appsUrl;
  if (behindCaddy) return httpsPort === 443 ? appsUrl : `${appsUrl}:${httpsPort}`;
  return /(^|\.)localhost$/.test(appsDomain) && gatewayPort ? `http://*.${appsDomain}:${gatewayPort}` : appsUrl;
}
