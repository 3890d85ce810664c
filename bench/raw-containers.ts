// The engine without Botel: containers made as the engine remembers a bot's to be made, by single
// calls of its API.
import { randomUUID } from 'node:crypto';
import { containerName } from '../packages/server/src/core/domain/bot.ts';
import {
  type DockerClient,
  messageOf,
  type StreamedAnswer,
} from '../packages/server/src/agent/engine/docker/client.ts';
import { labelNames } from '../packages/server/src/agent/engine/docker/create-body.ts';
import type { Ground } from './environment.ts';

/** Body of the call that would make such a container again. */
interface Recipe {
  Env: string[];
  Labels: Record<string, string>;
  HostConfig: object;
}

interface Inspected {
  Config: Recipe & { Hostname: string };
  HostConfig: object;
}

export class RawContainers {
  readonly #engine: DockerClient;
  readonly #recipe: Recipe;

  private constructor(engine: DockerClient, recipe: Recipe) {
    this.#engine = engine;
    this.#recipe = recipe;
  }

  /** Containers like that of a running bot, but for name and install label: the bot's Botel must
   * not take them for its own. */
  static async likeBot(environment: Pick<Ground, 'engine' | 'rawInstallId'>, botId: string): Promise<RawContainers> {
    const { status, body } = await environment.engine.request('GET', `/containers/${containerName(botId)}/json`);
    if (status !== 200) throw new Error(messageOf(body));
    const { Config, HostConfig } = body as Inspected;
    const { Hostname: _, ...config } = Config;
    const Labels = { ...config.Labels, [labelNames.install]: environment.rawInstallId };
    return new RawContainers(environment.engine, { ...config, Labels, HostConfig });
  }

  /** Resolves with the container's id. `environment`: entries that come after those of the bot. */
  async create(environment: string[] = []): Promise<string> {
    const body = { ...this.#recipe, Env: [...this.#recipe.Env, ...environment] };
    const query = { name: containerName(randomUUID()) };
    const answer = await this.#engine.request('POST', '/containers/create', { query, body });
    if (answer.status !== 201) throw new Error(messageOf(answer.body));
    return (answer.body as { Id: string }).Id;
  }

  async start(id: string): Promise<void> {
    const { status, body } = await this.#engine.request('POST', `/containers/${id}/start`);
    if (status !== 204) throw new Error(messageOf(body));
  }

  /** The output from now on, as it is written. */
  attach(id: string): Promise<StreamedAnswer> {
    return this.#engine.stream('POST', `/containers/${id}/attach`, {
      query: { stream: true, stdout: true, stderr: true },
    });
  }

  /** The recorded output, followed: what `docker logs -f` reads. */
  logs(id: string): Promise<StreamedAnswer> {
    return this.#engine.stream('GET', `/containers/${id}/logs`, {
      query: { follow: true, stdout: true, stderr: true },
    });
  }
}
