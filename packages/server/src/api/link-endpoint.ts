// What api and agent exchange when they are two processes: the api's end.
import type { Logger } from 'pino';
import type { Stores } from '../core/data-folder/stores.ts';
import type { Topic } from '../core/lib/topic.ts';
import { type LinkEndpoint, publicationOf, type Subscription } from '../core/link/link-connection.ts';
import type { UsagePage } from '../core/store/usage-cache.ts';

export function apiLinkEndpoint({ stores, logger }: { stores: Stores; logger: Logger }): LinkEndpoint {
  const { bots, inputs, events, schedules, settings, usageCache, logs } = stores;
  const report = (error: unknown) => logger.error({ err: error }, 'a wake-up could not be followed');
  const publishAll = async () => {
    for (const id of new Set([...(await bots.ids()), ...bots.changed.keys()])) bots.changed.publish(id);
  };
  const everyChange = () => void publishAll().catch(report);
  const checkEngine = async () => {
    const before = await settings.engineState();
    settings.forgetEngineState();
    if ((await settings.engineState())?.available !== before?.available) everyChange();
  };
  const engine = () => void checkEngine().catch(report);
  const lines = (botId: string) => void logs.noteCommitted(botId).catch(report);
  return {
    subscriptions: [
      { name: 'changed', onKey: (botId) => bots.changed.publish(botId), onAnyKey: everyChange },
      republished('added', events.added),
      republished('settled', inputs.settled),
      { name: 'logs', onKey: lines, onAnyKey: () => logs.committed.keys().forEach(lines) },
      { name: 'engine', onKey: engine, onAnyKey: engine },
      { name: 'usage', onKey: (botId, page) => usageCache.takeOver(botId, page as UsagePage), onAnyKey() {} },
    ],
    publications: [
      publicationOf('desired', bots.desiredChanged),
      publicationOf('given', inputs.given),
      publicationOf('asked', schedules.asked),
    ],
    state: () => null,
  };
}

/** Publishes received keys on the local topic. */
function republished(name: string, topic: Topic): Subscription {
  return {
    name,
    onKey: (key) => topic.publish(key),
    onAnyKey: () => topic.keys().forEach((key) => topic.publish(key)),
  };
}
