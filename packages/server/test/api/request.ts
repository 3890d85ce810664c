// Sends requests the way API tests need them, with everything of the answer in sight, and checks
// failures to the letter.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import type { BotelClient } from '@botel/contract/client';
import type { ErrorCode } from '@botel/contract/vocabulary';

/** One answer; `body` is the parsed JSON, null where there is none. */
export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: { success: boolean; data: T; message?: string; error?: string };
}

/** Sends `POST /bots/start` and the like as `client`; a `body` of text goes out as it is, anything
 * else as JSON. */
export async function send<T = Record<string, unknown>>(
  client: BotelClient,
  line: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer<T>> {
  const [method = '', path = ''] = line.split(' ');
  const init: RequestInit =
    body === undefined
      ? { headers }
      : {
          body: typeof body === 'string' ? body : JSON.stringify(body),
          headers: { 'Content-Type': 'application/json', ...headers },
        };
  const response = await client.fetch(method, path, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** What a refusal must be. `field` is the text of X-Error-Field; without it the header must be
 * missing. */
export interface Refusal {
  status: number;
  code: ErrorCode;
  error: string;
  field?: string;
}

/** The answer is this refusal: status, code, field, and nothing but `success` and `error` in the
 * body. */
export function assertRefused(answer: Answer<unknown>, refusal: Refusal, what = refusal.error): void {
  assert.deepEqual(answer.body, { success: false, error: refusal.error }, what);
  assert.equal(answer.status, refusal.status, what);
  assert.equal(answer.headers.get('X-Error-Code'), refusal.code, what);
  assert.equal(answer.headers.get('X-Error-Field'), refusal.field ?? null, what);
  assert.equal(answer.headers.get('WWW-Authenticate'), refusal.status === 401 ? 'Bearer' : null, what);
}

export const unauthorized: Refusal = { status: 401, code: 'unauthorized', error: 'Unauthorized' };
export const botNotFound: Refusal = { status: 404, code: 'bot_not_found', error: 'Bot not found' };
export const notFound: Refusal = { status: 404, code: 'not_found', error: 'Not found' };
export const invalidJson: Refusal = { status: 400, code: 'invalid_json', error: 'Invalid JSON body' };
export const invalidUrl: Refusal = { status: 400, code: 'invalid_url', error: 'Invalid URL' };

/** 400 for one field of the input; `fault` is its predicate. */
export function invalidInput(field: string, fault: string): Refusal {
  return {
    status: 400,
    code: 'invalid_input',
    error: `${field} ${fault}`,
    field: encodeURI(field).replace(/%5B(\d+)%5D/g, '[$1]'),
  };
}

/** Writes bytes to the server and returns the first answer to them, for what a well-behaved client
 * can't send. */
export function sendBytes(url: string, text: string): Promise<{ status: number; headers: Headers; text: string }> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; headers: Headers; text: string }>();
  let received = '';
  socket.setEncoding('utf8').on('error', reject);
  socket.on('close', () => reject(new Error(`Closed after: ${received}`)));
  socket.on('data', (chunk: string) => {
    received += chunk;
    const [head = '', text] = received.split('\r\n\r\n', 2);
    const [statusLine = '', ...lines] = head.split('\r\n');
    const headers = new Headers(
      lines.map((line): [string, string] => [line.split(': ')[0] ?? '', line.split(': ')[1] ?? '']),
    );
    if (text === undefined || text.length < Number(headers.get('Content-Length'))) return;
    resolve({ status: Number(statusLine.split(' ')[1]), headers, text });
    socket.destroy();
  });
  socket.write(text);
  return promise;
}
