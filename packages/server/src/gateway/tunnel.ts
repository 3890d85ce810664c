// Protocol upgrades (WebSocket and others): asks the bot and, when it agrees, joins both
// connections byte by byte, each direction ending on its own. When it declines, its answer goes to
// the client like any other.
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { outcomeOf } from './exchange.ts';
import { headersForClient, headerOf } from './headers.ts';
import { streamIdleMs } from './limits.ts';
import { pump } from './pump.ts';
import { relayAnswer } from './relay-answer.ts';
import type { UpstreamPool } from './upstream-pool.ts';
import { isOver, type Outcome, type ProxiedRequest } from './proxied-request.ts';

/** Resolves when the connection closes, or when the client needs another answer. */
export function tunnel(proxied: ProxiedRequest, pool: UpstreamPool): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const { request, response } = proxied;
  const client = request.socket;
  let isConnected = false;
  let isAnswered = false;
  const bot = openUpgrade(proxied, pool, () => {
    isConnected = true;
  });
  if (!bot) return Promise.resolve({ kind: 'fault', code: 'bad_request' });
  const settle = (outcome: Outcome) => {
    client.off('close', onClientClose);
    if (outcome.kind !== 'done') bot.destroy();
    resolve(outcome);
  };
  const onClientClose = () => {
    bot.destroy();
    settle({ kind: 'done' });
  };
  client.once('close', onClientClose);
  bot.once('upgrade', (answer, botSocket, head) => {
    isAnswered = true;
    botSocket.on('error', () => {});
    if (isOver(proxied)) return void botSocket.destroy();
    response.detachSocket(client);
    client.write(upgradeHead(answer), 'latin1');
    sendEarly(proxied, { head, client, bot: botSocket });
    join(proxied, client, botSocket as Socket);
  });
  bot.once('response', (answer: IncomingMessage) => {
    isAnswered = relayAnswer(proxied, bot, answer);
    if (!isAnswered) settle({ kind: 'fault', code: 'bot_answer_not_valid' });
  });
  bot.on('timeout', () => {
    if (!isAnswered) settle({ kind: 'fault', code: 'bot_answer_late' });
  });
  bot.on('error', (error: NodeJS.ErrnoException) => {
    if (!isAnswered && !isOver(proxied)) settle(outcomeOf(proxied, error, isConnected));
  });
  return promise;
}

/** Null: node:http can't send it. */
function openUpgrade(
  { checked, request, headers, answerMs }: ProxiedRequest,
  pool: UpstreamPool,
  onConnect: () => void,
): ClientRequest | null {
  const { address: host, port } = pool.where;
  try {
    const bot = openRequest({
      agent: false,
      createConnection: () => pool.connect({ allowHalfOpen: true }).once('connect', onConnect),
      host,
      port,
      method: request.method,
      path: checked.path,
      headers,
      setHost: false,
      timeout: answerMs,
    });
    bot.end();
    return bot;
  } catch {
    return null;
  }
}

function upgradeHead({ statusMessage, rawHeaders }: IncomingMessage): string {
  const headers = headersForClient(rawHeaders, false);
  headers.push('Connection', 'Upgrade', 'Upgrade', headerOf(rawHeaders, 'upgrade') ?? '');
  let head = `HTTP/1.1 101 ${statusMessage || 'Switching Protocols'}\r\n`;
  for (let index = 0; index < headers.length; index += 2) head += `${headers[index]}: ${headers[index + 1]}\r\n`;
  return `${head}\r\n`;
}

/** Sends what both ends sent before they were joined. */
function sendEarly(
  proxied: ProxiedRequest,
  { head, client, bot }: { head: Buffer; client: Duplex; bot: Duplex },
): void {
  const early = proxied.upgradeHead ?? Buffer.alloc(0);
  proxied.bytesOut += head.length;
  proxied.bytesIn += early.length;
  if (head.length > 0) client.write(head);
  if (early.length > 0) bot.write(early);
}

function join(proxied: ProxiedRequest, client: Socket, bot: Socket): void {
  pump(client, bot, (count) => {
    proxied.bytesIn += count;
  });
  pump(bot, client, (count) => {
    proxied.bytesOut += count;
  });
  link(client, bot);
  link(bot, client);
}

/** Forwards the end, the close and the idle timeout of one connection to the other. */
function link(from: Socket, to: Duplex): void {
  from.setTimeout(streamIdleMs, () => from.destroy());
  from.once('end', () => to.end());
  from.once('close', (hadError) => {
    if (hadError || !(to as Socket).destroySoon) to.destroy();
    else (to as Socket).destroySoon();
  });
}
