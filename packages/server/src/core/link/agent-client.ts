// The api's one way to agents: direct where both are one process, over the agent's socket where
// they are not.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BotWork } from '../domain/backup.ts';
import type { DiskUse } from '../domain/quota.ts';
import type { TaskStatus } from '../domain/task-status.ts';

/** Path, before the id of a bot, under which an agent's socket answers `diskUse`. */
export const diskUsePath = '/agent/disk-use';

/** Facts that an agent publishes about itself. */
export interface AgentState {
  /** See NetworkGuard.lastFault. */
  firewallFault?: string | null | undefined;
  tasks?: TaskStatus[];
}

/** `botId` names the bot whose agent is meant; null = no bot is named. */
export interface AgentClient {
  /** Resolves when it is known whether the agent answers. */
  start(): Promise<void>;
  stop(): Promise<void>;
  answers(botId: string | null): boolean;
  /**
   * What the agent of this process does with the bot's files. Null in other processes: there the
   * store says it.
   */
  workOn(botId: string): BotWork | null;
  /** The newest state of the agent; undefined while it does not answer. */
  readonly state: AgentState | undefined;
  /** What the bot has on the disk; `exact`: counted now. The last known count while the agent is
   * away. */
  diskUse(botId: string, options?: { exact: boolean }): Promise<DiskUse>;
  /** Answers the request by the agent's route for it; rejects with `not_ready` while the agent is
   * away. */
  forward(botId: string | null, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}
