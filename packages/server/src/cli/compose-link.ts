// The part of the composition root that says what the two halves of a Botel tell each other: the api of wishes, the agent
// of what it saw. Must not be imported by anything but server.ts.
import { json } from 'node:stream/consumers';
import type { Data } from './compose-data.ts';
import type { BotFolders } from './compose-homes.ts';
import type { DiskUse } from '../core/domain/quota.ts';
import type { Topic } from '../core/lib/topic.ts';
import type { AgentSocketClient } from '../core/link/agent-socket-client.ts';
import type { Heard, Side, Told } from '../core/link/hints.ts';
import type { NetworkGuard } from '../agent/network/firewall.ts';
import type { UsagePage } from '../core/store/usage-cache.ts';

/** What the agent's state says. */
interface AgentState {
  /** See NetworkGuard.lastFault. */
  firewallFault?: string | null;
}

const diskUsePath = '/agent/disk-use';
const diskUseDeadlineMs = 15_000;

/** `look`: schedules may be due. */
export function agentSide({ stores, logs, logger }: Data, guard: NetworkGuard, look: () => Promise<void>): Side {
  const { bots, inputs, events, settings, usageCache } = stores;
  const report = (error: unknown) => logger.error({ err: error }, 'a hint could not be followed');
  const publishAll = async (topic: Topic) => {
    for (const id of await bots.ids()) topic.publish(id);
  };
  const everyBot = (topic: Topic) => () => void publishAll(topic).catch(report);
  const lookAgain = () => void look().catch(report);
  return {
    hears: [
      { name: 'wished', hear: (botId) => bots.desiredChanged.publish(botId), hearAll: everyBot(bots.desiredChanged) },
      { name: 'given', hear: (botId) => inputs.given.publish(botId), hearAll: everyBot(inputs.given) },
      { name: 'asked', hear: lookAgain, hearAll: lookAgain },
    ],
    tells: [
      told('changed', bots.changed),
      told('added', events.added),
      told('settled', inputs.settled),
      told('logs', logs.committed),
      told('engine', settings.engineSeen),
      {
        ...told('usage', usageCache.noted),
        valueOf: (botId) => usageCache.page(botId),
        everything: () => usageCache.bots(),
      },
    ],
    state: (): AgentState => ({ firewallFault: guard.lastFault }),
  };
}

export function apiSide({ stores, logs, logger }: Data): Side {
  const { bots, inputs, events, schedules, settings, usageCache } = stores;
  const report = (error: unknown) => logger.error({ err: error }, 'a hint could not be followed');
  const publishAll = async () => {
    for (const id of new Set([...(await bots.ids()), ...bots.changed.keys()])) bots.changed.publish(id);
  };
  const everyChange = () => void publishAll().catch(report);
  const lookAtEngine = async () => {
    const before = await settings.engineState();
    settings.forgetEngineState();
    if ((await settings.engineState())?.available !== before?.available) everyChange();
  };
  const engine = () => void lookAtEngine().catch(report);
  const lines = (botId: string) => void logs.noteCommitted(botId).catch(report);
  return {
    hears: [
      { name: 'changed', hear: (botId) => bots.changed.publish(botId), hearAll: everyChange },
      listened('added', events.added),
      listened('settled', inputs.settled),
      { name: 'logs', hear: lines, hearAll: () => logs.committed.keys().forEach(lines) },
      { name: 'engine', hear: engine, hearAll: engine },
      { name: 'usage', hear: (botId, page) => usageCache.takeOver(botId, page as UsagePage), hearAll() {} },
    ],
    tells: [told('wished', bots.desiredChanged), told('given', inputs.given), told('asked', schedules.asked)],
    state: () => null,
  };
}

function told(name: string, topic: Topic): Told {
  return { name, listen: (tell) => topic.onAny(tell) };
}

/** Those who wait for a key look again. */
function listened(name: string, topic: Topic): Heard {
  return {
    name,
    hear: (key) => topic.publish(key),
    hearAll: () => topic.keys().forEach((key) => topic.publish(key)),
  };
}

/** What the api knows of the guard of the agent's network. */
export function guardOver(link: AgentSocketClient): Pick<NetworkGuard, 'lastFault'> {
  return {
    get lastFault() {
      return (link.state as AgentState | undefined)?.firewallFault;
    },
  };
}

/** The agent's answer to the one question of the api that no route asks: how much a bot's files take now. */
export function answerDiskUse({ stores, clock }: Data, { files }: BotFolders) {
  return {
    method: 'GET' as const,
    url: `${diskUsePath}/:id`,
    async handler({ params }: { params: unknown }) {
      const { id } = params as { id: string };
      const use = await files.used(id, { counted: true });
      stores.usageCache.noteDisk(id, use, clock.now());
      return use;
    },
  };
}

/** Asks the agent; what was last known when it is away. */
export async function askDiskUse(link: AgentSocketClient, { stores }: Data, botId: string): Promise<DiskUse> {
  try {
    const signal = AbortSignal.timeout(diskUseDeadlineMs);
    const url = `${diskUsePath}/${botId}`;
    const answer = await link.forward({ method: 'GET', url, headers: {}, body: null, signal });
    return (await json(answer)) as DiskUse;
  } catch {
    return stores.usageCache.disk(botId) ?? { bytes: 0, files: 0 };
  }
}
