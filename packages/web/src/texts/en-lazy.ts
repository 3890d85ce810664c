// English texts that come with the pages that show them.
import { admin } from './en/admin.ts';
import { botMenu } from './en/bot-menu.ts';
import { setup } from './en/setup.ts';
import { download } from './en/download.ts';
import { env } from './en/env.ts';
import { files } from './en/files.ts';
import { manage } from './en/manage.ts';
import { metrics } from './en/metrics.ts';
import { newBot } from './en/new-bot.ts';

export const lazy = { ...env, ...files, ...newBot, ...manage, ...metrics, ...botMenu, ...download, ...admin, ...setup };
