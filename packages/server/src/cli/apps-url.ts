// The apps URL that `botel up` shows: one that works on this machine without further setup.
import type { Config } from '../core/config/config.ts';

type Settings = Pick<Config, 'appsUrl' | 'appsDomain' | 'httpsPort' | 'gatewayPort'>;

/**
 * URL of apps with `*` for the name. The operator's BOTEL_APPS_URL takes precedence; behind the
 * Caddy of `up --tls` it has Caddy's port; otherwise names below localhost point to the gateway
 * itself. With any other domain, an external proxy is expected.
 */
export function appsUrlFor({ appsUrl, appsDomain, httpsPort, gatewayPort }: Settings, behindCaddy: boolean): string {
  if (appsUrl !== `https://*.${appsDomain}`) return appsUrl;
  if (behindCaddy) return httpsPort === 443 ? appsUrl : `${appsUrl}:${httpsPort}`;
  return /(^|\.)localhost$/.test(appsDomain) && gatewayPort ? `http://*.${appsDomain}:${gatewayPort}` : appsUrl;
}
