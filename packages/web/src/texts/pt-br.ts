// All texts in Brazilian Portuguese. Loaded when they are wanted.
import type { en } from './en.ts';
import { admin } from './pt-br/admin.ts';
import { setup } from './pt-br/setup.ts';
import { manage } from './pt-br/manage.ts';
import { metrics } from './pt-br/metrics.ts';
import { newBot } from './pt-br/new-bot.ts';
import { shell } from './pt-br/shell.ts';
import { bot } from './pt-br/bot.ts';
import { botMenu } from './pt-br/bot-menu.ts';
import { bots } from './pt-br/bots.ts';
import { console } from './pt-br/console.ts';
import { download } from './pt-br/download.ts';
import { env } from './pt-br/env.ts';
import { files } from './pt-br/files.ts';

export const ptBr: Record<keyof typeof en, string> = {
  ...shell,
  ...bots,
  ...bot,
  ...console,
  ...env,
  ...files,
  ...newBot,
  ...manage,
  ...botMenu,
  ...download,
  ...metrics,
  ...admin,
  ...setup,
};
