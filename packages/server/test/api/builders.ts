// One of each thing that requests name, made over the API for one owner.
import type { SessionListData } from '@botel/contract/accounts';
import type { BotelClient } from '@botel/contract/client';
import { goodBot } from '../support/fixture.ts';
import type { Things } from './valid-inputs.ts';

/** Names of nothing. */
export const absent = '00000000-0000-4000-8000-000000000000';
export const nothing: Things = {
  bot: absent,
  backup: absent,
  schedule: absent,
  app: absent,
  domain: absent,
  session: absent,
};

/** A bot that holds the file index.js, and what hangs on it. */
export async function makeThings(owner: BotelClient): Promise<Things> {
  const { id: bot } = await owner.createBot({ ...goodBot, memory: 128, environment: { SECRET: 'kept' } });
  await owner.writeFile(bot, 'index.js', 'console.log(1)');
  const make = async (path: string, body: object) => (await owner.call<{ id: string }>('POST', path, body)).data.id;
  const app = await make('/apps/create', { bot_id: bot, name: `app-${bot.slice(0, 8)}` });
  const { sessions } = (await owner.call<SessionListData>('GET', '/auth/sessions')).data;
  return {
    bot,
    backup: await make(`/bots/${bot}/backups`, { name: 'first' }),
    schedule: await make(`/bots/${bot}/schedules`, { name: 'nightly', cron: '0 3 * * *', action: 'start' }),
    app,
    domain: await make('/domains/create', { app_id: app, hostname: `${bot.slice(0, 8)}.example.com` }),
    session: sessions.find(({ current }) => current)?.id ?? '',
  };
}
