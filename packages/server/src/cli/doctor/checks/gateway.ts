// The gateway's port: free, or held by an answering gateway.
import { portState } from '../../../core/lib/port-state.ts';
import { type Check, fix, ok } from '../check.ts';

export const gateway: Check = {
  name: 'gateway',
  async run({ gatewayHost: host, gatewayPort: number }) {
    if (number === null) return [ok('no apps are served (BOTEL_GATEWAY_PORT is off)')];
    if (number === 0) return [ok('a free port is chosen at the start')];
    const state = await portState(number, host);
    if (state === 'denied')
      return [fix(`this user may not listen on port ${number}`, 'Set BOTEL_GATEWAY_PORT to 1024 or above.')];
    if (state === 'foreign') return [fix(`${host} is not an address of this machine`, 'Correct BOTEL_GATEWAY_HOST.')];
    if (state === 'free') return [ok(`port ${number} on ${host} is free`)];
    if (await answersAsGateway(host, number)) return [ok(`the gateway answers on ${host}:${number}`)];
    return [
      fix(`port ${number} on ${host} is taken by another program`, 'Stop that program, or set BOTEL_GATEWAY_PORT.'),
    ];
  },
};

/** A gateway has no app at an address of the machine itself, and its answer says so. */
async function answersAsGateway(host: string, port: number): Promise<boolean> {
  const name = host.includes(':') ? `[${host}]` : host;
  const answer = await fetch(`http://${name}:${port}/`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
  await answer?.body?.cancel();
  return answer?.headers.get('x-error-code') === 'app_not_found';
}
