// `botel up --demo`: an account, the nodejs example as a bot, its live log. Uses the public API.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BotData } from '@botel/contract/bots';
import { BotelClient } from '@botel/contract/client';
import type { TemplateData } from '@botel/contract/templates';
import type { Config } from '../core/config/config.ts';
import { printable } from '../core/lib/printable.ts';
import type { Server } from './server.ts';

const demoEmail = 'demo@botel.localhost';
const botName = 'demo-receptionist';
const template = 'nodejs';

/** Creates and starts the demo bot if needed, prints URLs, and shows its log until `signal`. */
export async function runDemo(server: Server, url: string, config: Config, signal: AbortSignal): Promise<void> {
  const password = await demoAccount(server, config);
  const client = new BotelClient(url);
  const { token, user } = await client.login(demoEmail, password);
  const bot = await demoBot(client);
  console.log(`
  dashboard ${url}/dashboard/login#${server.services.accounts.makeOneTimeToken(user.id)}
            (signs in once, valid for ten minutes)
  address   ${url}
  account   ${demoEmail}
  password  ${password}
  bot       ${bot.name} (${bot.id})

  try       curl -s ${url}/bots/${bot.id} -H 'Authorization: Bearer ${token}'

Live log of the bot (Ctrl-C ends Botel):
`);
  await showLog(client, bot.id, signal);
}

/** The demo account's password, random per machine; creates the account on first use. */
async function demoAccount(server: Server, config: Config): Promise<string> {
  const file = join(config.dataDirectory, 'demo-password');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const password = randomBytes(15).toString('base64url');
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  await server.services.accounts.create(demoEmail, password, 'user');
  return password;
}

async function demoBot(client: BotelClient): Promise<BotData> {
  let bot = (await client.bots()).find((candidate) => candidate.name === botName);
  if (!bot) {
    const { data } = await client.call<{ templates: TemplateData[] }>('GET', '/templates');
    const example = data.templates.find(({ id }) => id === template);
    if (!example) throw new Error(`The template ${template} is missing`);
    const { id } = await client.createBot({
      name: botName,
      language: example.language,
      memory: example.memory,
      startup_command: example.startup_command,
      environment: { GREETING: 'Welcome to Botel!' },
    });
    await client.call('POST', `/bots/${id}/files/template`, { template_id: template });
    bot = await client.bot(id);
  }
  if (bot.status === 'offline') await client.lifecycle('start', bot.id);
  return bot;
}

async function showLog(client: BotelClient, botId: string, signal: AbortSignal): Promise<void> {
  try {
    for await (const { event, data } of client.logStream(botId, 'tail=20', signal)) {
      const line = data as {
        ts: string;
        stream: string;
        text: string;
        status: string;
        phase: string | null;
        status_reason: string | null;
      };
      if (event === 'log') console.log(`${line.ts.slice(11, 19)} ${line.stream.padEnd(6)} ${printable(line.text)}`);
      else if (event === 'status')
        console.log(`         status ${[line.status, line.phase, line.status_reason].filter(Boolean).join(', ')}`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
