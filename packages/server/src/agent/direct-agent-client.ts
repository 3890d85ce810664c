// Calls the agent of the same process directly: its application handles the original request.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BotWork } from '../core/domain/backup.ts';
import type { DiskUse } from '../core/domain/quota.ts';
import type { AgentClient, AgentState } from '../core/link/agent-client.ts';

interface Deps {
  app: FastifyInstance;
  currentState(): AgentState;
  workOn(botId: string): BotWork | null;
  diskUse(botId: string, options?: { exact: boolean }): Promise<DiskUse>;
}

export class DirectAgentClient implements AgentClient {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  get state(): AgentState {
    return this.#deps.currentState();
  }

  async start(): Promise<void> {
    await this.#deps.app.ready();
  }

  async stop(): Promise<void> {
    await this.#deps.app.close();
  }

  answers(): boolean {
    return true;
  }

  workOn(botId: string): BotWork | null {
    return this.#deps.workOn(botId);
  }

  diskUse(botId: string, options?: { exact: boolean }): Promise<DiskUse> {
    return this.#deps.diskUse(botId, options);
  }

  async forward(_botId: string | null, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // From here on the agent's application answers; headers already set by the api remain.
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    request.raw.headers['x-request-id'] = request.id;
    this.#deps.app.routing(request.raw, reply.raw);
    return reply;
  }
}
