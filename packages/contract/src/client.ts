// A typed client of the public API: fetch for calls, server-sent events for logs. Must know nothing
// but the contract.
import type { LoginData, UsageData } from './accounts.ts';
import type { BotData, CreateBotInput, CreatedBotData } from './bots.ts';
import type { Failure, Success } from './envelope.ts';
import { readEvents, type ServerEvent } from './events.ts';
import type { BotStatus } from './vocabulary.ts';

/** The server's refusal. `status` 0 = no answer. `field`: what of the input is at fault. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly field: string | null;

  constructor(status: number, code: string, message: string, options: ErrorOptions & { headers?: Headers } = {}) {
    super(message, options);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.requestId = options.headers?.get('X-Request-Id') ?? null;
    this.field = options.headers?.get('X-Error-Field') ?? null;
  }
}

export class BotelClient {
  readonly #baseUrl: string;
  #token: string | null;

  constructor(baseUrl: string, token: string | null = null) {
    this.#baseUrl = baseUrl.replace(/\/$/, '');
    this.#token = token;
  }

  /** Signs in and uses the token from now on. */
  async login(email: string, password: string): Promise<LoginData> {
    const { data } = await this.call<LoginData>('POST', '/auth/login', { email, password });
    this.#token = data.token;
    return data;
  }

  async createBot(input: CreateBotInput): Promise<CreatedBotData> {
    return (await this.call<CreatedBotData>('POST', '/bots/create', input)).data;
  }

  /** One of the lifecycle calls; resolves with the answered status and the message. */
  lifecycle(verb: 'start' | 'restart' | 'stop' | 'kill', botId: string): Promise<Success<{ status: BotStatus }>> {
    return this.call('POST', `/bots/${verb}`, { bot_id: botId });
  }

  async deleteBot(botId: string, force = false): Promise<void> {
    await this.call('POST', '/bots/delete', { bot_id: botId, force });
  }

  async bot(botId: string): Promise<BotData> {
    return (await this.call<BotData>('GET', `/bots/${botId}`)).data;
  }

  async bots(): Promise<BotData[]> {
    return (await this.call<{ bots: BotData[] }>('GET', '/bots?limit=100')).data.bots;
  }

  async usage(): Promise<UsageData> {
    return (await this.call<UsageData>('GET', '/usage')).data;
  }

  /** Writes one file of a bot. */
  async writeFile(botId: string, path: string, content: string | Uint8Array<ArrayBuffer>): Promise<void> {
    const response = await this.fetch('PUT', `/bots/${botId}/files/content?path=${encodeURIComponent(path)}`, {
      body: content,
      headers: { 'Content-Type': 'application/octet-stream' },
    });
    await unwrap(response);
  }

  /** The bot's log events from `query` on (`tail=0`, `after=12` …) until the signal aborts or the
   * server ends them. */
  async *logStream(botId: string, query = '', signal?: AbortSignal): AsyncGenerator<ServerEvent> {
    const response = await this.fetch('GET', `/bots/${botId}/logs/stream?${query}`, { signal: signal ?? null });
    if (!response.ok || !response.body) await unwrap(response);
    else yield* readEvents(response.body);
  }

  /** Any JSON call of the API. Rejects with ApiError. */
  async call<T>(method: string, path: string, body?: unknown): Promise<Success<T>> {
    const init: RequestInit =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    return unwrap<T>(await this.fetch(method, path, init));
  }

  /** A request with this client's token; rejects with ApiError only when there is no answer. */
  async fetch(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.#token) headers.set('Authorization', `Bearer ${this.#token}`);
    try {
      return await fetch(`${this.#baseUrl}${path}`, { ...init, method, headers });
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw new ApiError(0, 'unreachable', `${this.#baseUrl} does not answer`, { cause });
    }
  }
}

/** The envelope of an answer; rejects with ApiError for a refusal. */
export async function unwrap<T>(response: Response): Promise<Success<T>> {
  const { status, headers } = response;
  const body = (await response.json()) as Success<T> | Failure;
  if (body.success) return body;
  throw new ApiError(status, headers.get('X-Error-Code') ?? 'unknown', body.error, { headers });
}
