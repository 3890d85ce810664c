// The agent in another process: forwards whole requests over its socket and streams the answers.
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../core/domain/errors.ts';
import type { DiskUse } from '../core/domain/quota.ts';
import { type AgentClient, diskUsePath } from '../core/link/agent-client.ts';
import type { UsageCache } from '../core/store/usage-cache.ts';
import { AgentConnection, type ConnectionOptions } from './agent-connection.ts';

const diskUseDeadlineMs = 15_000;

/** Hop-by-hop headers, and those that each end sets itself. */
const ownHeaders = new Set([
  'connection',
  'date',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-forwarded-for',
]);

interface Deps extends ConnectionOptions {
  /** Holds the last known disk usage. */
  usageCache: Pick<UsageCache, 'disk'>;
}

export class SocketAgentClient extends AgentConnection implements AgentClient {
  readonly #usageCache: Deps['usageCache'];

  constructor(deps: Deps) {
    super(deps);
    this.#usageCache = deps.usageCache;
  }

  workOn(): null {
    return null;
  }

  async diskUse(botId: string, options?: { exact: boolean }): Promise<DiskUse> {
    try {
      const signal = AbortSignal.timeout(diskUseDeadlineMs);
      const url = `${diskUsePath}/${botId}${options?.exact ? '?exact=1' : ''}`;
      return (await json(await this.send({ method: 'GET', url, headers: {}, body: null, signal }))) as DiskUse;
    } catch {
      return this.#usageCache.disk(botId) ?? { bytes: 0, files: 0 };
    }
  }

  async forward(_botId: string | null, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const { method = 'GET', url = '/' } = request.raw;
    const headers = { ...passedOn(request.headers), 'x-request-id': request.id };
    const body = request.body instanceof Readable ? request.body : null;
    const answer = await this.send({ method, url, headers, body, signal: gone.signal }).catch(() => {
      throw fail.notReady('agent');
    });
    return reply
      .code(answer.statusCode ?? 502)
      .headers(passedOn(answer.headers) as Record<string, string>)
      .send(answer);
  }
}

function passedOn(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name)));
}
