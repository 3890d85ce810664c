// The API client of all pages. The session is a cookie that scripts can't read; reports when it has
// expired.
import { BotelClient, unwrap } from '@botel/contract/client';
import type { Success } from '@botel/contract/envelope';
import { isApiError } from '../lib/api-error.ts';
import { dropPrefetched, takePrefetched } from '../lib/prefetched.ts';
import { serverAway } from '../lib/server-away.ts';
import { ValueStore } from '../lib/value-store.ts';

const client = new BotelClient('');

/** True: a call was refused without a session, and nobody has signed in since. */
export const sessionEnded = new ValueStore(false);

/** A JSON call of the API: `call('POST', '/bots/start', { bot_id })`. Rejects with ApiError. */
export async function call<T>(method: string, path: string, body?: unknown): Promise<Success<T>> {
  const headers = { 'Content-Type': 'application/json' };
  dropPrefetched();
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers };
  return watched(async () => unwrap<T>(await send(method, path, init)));
}

/** The data of a GET. */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await watched(async () => unwrap<T>(await get(path, { signal: signal ?? null })))).data;
}

/** A POST that creates something, with an idempotency key. */
export async function create<T>(path: string, body: unknown): Promise<Success<T>> {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
  dropPrefetched();
  return watched(async () => unwrap<T>(await send('POST', path, { body: JSON.stringify(body), headers })));
}

/**
 * A call whose response or body isn't JSON. Expired sessions are recorded; other errors are up to
 * the caller.
 */
export async function fetchRaw(method: string, path: string, init: RequestInit = {}): Promise<Response> {
  const response = method === 'GET' ? await get(path, init) : await send(method, path, init);
  if (response.status === 401) sessionEnded.set(true);
  return response;
}

async function get(path: string, init: RequestInit): Promise<Response> {
  return (await takePrefetched(path, init.signal)) ?? send('GET', path, init);
}

/** Any response shows that the server is up. */
async function send(method: string, path: string, init: RequestInit): Promise<Response> {
  const response = await client.fetch(method, path, init);
  serverAway.set(false);
  return response;
}

async function watched<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isApiError(error) && error.code === 'unauthorized') sessionEnded.set(true);
    throw error;
  }
}
