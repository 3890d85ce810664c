// A client of the live log stream that takes nothing.
import assert from 'node:assert/strict';
import { get, type IncomingMessage } from 'node:http';
import type { ServerProcess } from './fixture.ts';

/** Its answer, paused, on a connection of its own. `headers` come beside the token. */
export async function openStalled(
  { url, token }: Pick<ServerProcess, 'url' | 'token'>,
  botId: string,
  { after = 0, headers = {} }: { after?: number; headers?: Record<string, string> } = {},
): Promise<IncomingMessage> {
  const options = { headers: { Authorization: `Bearer ${token}`, ...headers }, agent: false as const };
  const request = get(`${url}/bots/${botId}/logs/stream?after=${after}`, options);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request.once('response', resolve);
  request.once('error', reject);
  const response = await promise;
  assert.equal(response.statusCode, 200);
  // The server may die under it.
  response.on('error', () => {});
  return response.pause();
}
