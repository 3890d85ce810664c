// Under which address `botel up` tells owners that their apps are: one that works on this machine
// without further set-up.
import type { Config } from '../core/config/config.ts';

type Settings = Pick<Config, 'appsUrl' | 'appsDomain' | 'httpsPort' | 'gatewayPort'>;

/**
 * Address of apps with `*` for the name. A BOTEL_APPS_URL of the operator's stays; behind the Caddy
 * of `up --tls` it is that one's port; without, names below localhost are reached at the gateway
 * itself. Elsewhere somebody else stands before it.
 */
export function appsUrlFor({ appsUrl, appsDomain, httpsPort, gatewayPort }: Settings, behindCaddy: boolean): string {
  if (appsUrl !== `https://*.${appsDomain}`) return appsUrl;
  if (behindCaddy) return httpsPort === 443 ? appsUrl : `${appsUrl}:${httpsPort}`;
  return /(^|\.)localhost$/.test(appsDomain) && gatewayPort ? `http://*.${appsDomain}:${gatewayPort}` : appsUrl;
}
