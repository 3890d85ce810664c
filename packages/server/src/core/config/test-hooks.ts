// Environment variables by which tests control a server; with them, an operator gets no server.
import { type ArmedFailpoint, failpointActions } from '../lib/failpoint.ts';
import { failpoints } from './failpoints.ts';

export const testHookNames = ['BOTEL_TEST', 'BOTEL_FAILPOINT', 'BOTEL_CHEAP_PASSWORDS'];

/** `BOTEL_FAILPOINT=<name>[:<action>[:<nth>]]`, else null. Throws an Error that names the fault. */
export function readFailpoint(environment: Record<string, string | undefined>): ArmedFailpoint | null {
  const text = environment.BOTEL_FAILPOINT;
  if (!text) return null;
  if (environment.BOTEL_TEST !== '1')
    throw new Error(
      'BOTEL_FAILPOINT makes the server fail on purpose: only tests of Botel may set it, with BOTEL_TEST=1',
    );
  const [name = '', action = 'kill', nth = '1'] = text.split(':');
  const known = failpointActions.find((each) => each === action);
  if (!failpoints.includes(name)) throw new Error(`BOTEL_FAILPOINT: there is no place "${name}"`);
  if (!known || !/^[1-9]\d{0,5}$/.test(nth))
    throw new Error(
      `BOTEL_FAILPOINT must be <name>[:<action>[:<nth>]], with an action of ${failpointActions.join(', ')}`,
    );
  return { name, action: known, nth: Number(nth) };
}

/** `BOTEL_CHEAP_PASSWORDS=1`. Throws an Error that names the fault. */
export function readCheapPasswords(environment: Record<string, string | undefined>): boolean {
  const text = environment.BOTEL_CHEAP_PASSWORDS;
  if (!text) return false;
  if (environment.BOTEL_TEST !== '1')
    throw new Error(
      'BOTEL_CHEAP_PASSWORDS stores passwords that are easy to guess from their hashes: only tests of Botel may set it, with BOTEL_TEST=1',
    );
  if (text !== '1') throw new Error('BOTEL_CHEAP_PASSWORDS must be 1');
  return true;
}
