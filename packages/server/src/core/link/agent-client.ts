// How the api reaches agents: directly in one process, or over the agent's socket.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BotWork } from '../domain/backup.ts';
import type { DiskUse } from '../domain/quota.ts';
import type { TaskStatus } from '../domain/task-status.ts';

/** Path, followed by a bot id, where an agent's socket serves `diskUse`. */
export const diskUsePath = '/agent/disk-use';

/** State that an agent publishes. */
export interface AgentState {
  /** See NetworkGuard.lastFault. */
  firewallFault?: string | null | undefined;
  tasks?: TaskStatus[];
  /** How long a bot has waited for a worker; see KeyedQueue.oldestWaitMs. */
  oldestWaitMs?: number;
}

/** `botId` selects the bot's agent; null = no specific bot. */
export interface AgentClient {
  /** Resolves when it is known whether the agent answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
  answers(botId: string | null): boolean;
  /** Current work on the bot's files; null across processes, where the store has the answer. */
  workOn(botId: string): BotWork | null;
  /** The agent's newest state; undefined while it does not answer. */
  readonly state: AgentState | undefined;
  /** Disk usage of the bot; `exact`: counted now. The last known count while the agent is down. */
  diskUse(botId: string, options?: { exact: boolean }): Promise<DiskUse>;
  /** Answers the request by the agent's route; rejects with `not_ready` while the agent is down. */
  forward(botId: string | null, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}
