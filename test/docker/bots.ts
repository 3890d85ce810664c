// What tests in containers do with bots, over the public API: make, start, wait for a state or a
// line. Waits are for conditions with a deadline and say what they saw when it passes.
import { setTimeout as delay } from 'node:timers/promises';
import type { BotData, CreateBotInput } from '@botel/contract/bots';
import { ApiError, type BotelClient } from '@botel/contract/client';
import type { LogHistoryData, LogTextData } from '@botel/contract/logs';
import type { BotStatus } from '@botel/contract/vocabulary';

const deadlineMs = 30_000;
const pollMs = 50;

export interface NewBot {
  name?: string;
  /** nodejs when left out. */
  language?: CreateBotInput['language'];
  command: string;
  /** By path; text or bytes. Written without the right to execute. */
  files?: Record<string, string | Uint8Array<ArrayBuffer>>;
  /** MB; 128 when left out. */
  memory?: number;
  environment?: Record<string, unknown>;
}

/** Creates a bot with its files, offline; resolves with its id. */
export async function createBot(client: BotelClient, bot: NewBot): Promise<string> {
  const { id } = await client.createBot({
    name: bot.name ?? 'guest',
    language: bot.language ?? 'nodejs',
    memory: bot.memory ?? 128,
    startup_command: bot.command,
    environment: bot.environment ?? {},
  });
  for (const [path, content] of Object.entries(bot.files ?? {})) await client.writeFile(id, path, content);
  return id;
}

/** Starts the bot and resolves once its newest run is online; rejects when that run ends first. */
export async function startAndWait(client: BotelClient, botId: string): Promise<BotData> {
  await client.lifecycle('start', botId);
  return waitOnline(client, botId);
}

/** Resolves once the bot is online; rejects when the start fails instead. */
export async function waitOnline(client: BotelClient, botId: string): Promise<BotData> {
  const bot = await waitForBot(client, botId, ({ status }) => status === 'online' || status === 'offline');
  if (bot.status !== 'online') throw new Error(`The bot ended instead: ${JSON.stringify(bot.last_exit)}`);
  return bot;
}

export function waitForStatus(client: BotelClient, botId: string, status: BotStatus): Promise<BotData> {
  return waitForBot(client, botId, (bot) => bot.status === status);
}

/** Resolves with the first look at the bot for which `condition` holds. */
export async function waitForBot(
  client: BotelClient,
  botId: string,
  condition: (bot: BotData) => boolean,
  withinMs = deadlineMs,
): Promise<BotData> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const bot = await client.bot(botId);
    if (condition(bot)) return bot;
    if (performance.now() > giveUpAt) {
      throw new Error(`Not true within ${withinMs} ms: ${condition}; the bot is ${JSON.stringify(bot, null, 1)}`);
    }
    await delay(pollMs);
  }
}

/** Resolves once the bot ended by itself `count` times or more since its creation, with its state
 * then. */
export function waitForEnd(client: BotelClient, botId: string, run = 1, withinMs = deadlineMs): Promise<BotData> {
  return waitForBot(client, botId, (bot) => (bot.last_exit?.run ?? 0) >= run, withinMs);
}

export interface LineWait {
  /** Only lines with a greater sequence number; 0 = the whole log. */
  after?: number;
  withinMs?: number;
}

/** Reads the bot's log until a line for which `condition` holds. Resolves with all lines read, that
 * one last. */
export async function linesUntil(
  client: BotelClient,
  botId: string,
  condition: (line: LogTextData) => boolean,
  { after = 0, withinMs = deadlineMs }: LineWait = {},
): Promise<LogTextData[]> {
  const giveUpAt = performance.now() + withinMs;
  const lines: LogTextData[] = [];
  let place = after;
  for (;;) {
    // The history and not the live stream: a user may have only a few of those open at once.
    const fresh = await storedLog(client, botId, place);
    place = fresh.at(-1)?.seq ?? place;
    for (const line of fresh) {
      if ('dropped' in line) continue;
      lines.push(line);
      if (condition(line)) return lines;
    }
    if (performance.now() > giveUpAt) break;
    await delay(pollMs);
  }
  const seen = lines.slice(-20).map((line) => `${line.run} ${line.stream}: ${line.text}`);
  throw new Error(`No such line within ${withinMs} ms: ${condition}; the last ones are\n${seen.join('\n')}`);
}

/** The first line for which `condition` holds. */
export async function waitForLine(
  client: BotelClient,
  botId: string,
  condition: (line: LogTextData) => boolean,
  wait: LineWait = {},
): Promise<LogTextData> {
  const lines = await linesUntil(client, botId, condition, wait);
  return lines.at(-1) as LogTextData;
}

/** The stored log after a sequence number, oldest first, with the records of lines that were
 * dropped. */
export async function storedLog(client: BotelClient, botId: string, after = 0): Promise<LogHistoryData['lines']> {
  const all: LogHistoryData['lines'] = [];
  for (;;) {
    const place = all.at(-1)?.seq ?? after;
    const { data } = await client.call<LogHistoryData>('GET', `/bots/${botId}/logs?limit=1000&after=${place}`);
    all.push(...data.lines);
    if (!data.has_more) return all;
  }
}

/** Texts of the stored lines of one stream (and one run). */
export async function storedTexts(
  client: BotelClient,
  botId: string,
  { stream, run }: { stream: LogTextData['stream']; run?: number },
): Promise<string[]> {
  const texts: string[] = [];
  for (const line of await storedLog(client, botId)) {
    if ('dropped' in line || line.stream !== stream) continue;
    if (run === undefined || line.run === run) texts.push(line.text);
  }
  return texts;
}

/** A file of the bot as text; rejects with the server's ApiError when it can't be read. */
export async function readText(client: BotelClient, botId: string, path: string): Promise<string> {
  const response = await client.fetch('GET', `/bots/${botId}/files/content?path=${encodeURIComponent(path)}`);
  if (response.ok) return response.text();
  const { error } = (await response.json()) as { error: string };
  throw new ApiError(response.status, response.headers.get('X-Error-Code') ?? '', error);
}
