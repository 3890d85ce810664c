// What api and agent exchange when they are two processes: the agent's end.
import type { Logger } from 'pino';
import type { Stores } from '../core/data-folder/stores.ts';
import type { Topic } from '../core/lib/topic.ts';
import type { AgentState } from '../core/link/agent-client.ts';
import { type LinkEndpoint, publicationOf } from '../core/link/link-connection.ts';

interface Deps {
  stores: Stores;
  logger: Logger;
  currentState(): AgentState;
}

export function agentLinkEndpoint({ stores, logger, currentState }: Deps): LinkEndpoint {
  const { bots, inputs, events, settings, usageCache, logs, schedules } = stores;
  const report = (error: unknown) => logger.error({ err: error }, 'a wake-up could not be followed');
  const publishAll = async (topic: Topic) => {
    for (const id of await bots.ids()) topic.publish(id);
  };
  const everyBot = (topic: Topic) => () => void publishAll(topic).catch(report);
  const schedulesDue = () => schedules.asked.publish('');
  return {
    subscriptions: [
      {
        name: 'desired',
        onKey: (botId) => bots.desiredChanged.publish(botId),
        onAnyKey: everyBot(bots.desiredChanged),
      },
      { name: 'given', onKey: (botId) => inputs.given.publish(botId), onAnyKey: everyBot(inputs.given) },
      { name: 'asked', onKey: schedulesDue, onAnyKey: schedulesDue },
    ],
    publications: [
      publicationOf('changed', bots.changed),
      publicationOf('added', events.added),
      publicationOf('settled', inputs.settled),
      publicationOf('logs', logs.committed),
      publicationOf('engine', settings.engineSeen),
      {
        ...publicationOf('usage', usageCache.noted),
        valueOf: (botId) => usageCache.page(botId),
        everything: () => usageCache.bots(),
      },
    ],
    state: currentState,
  };
}
