// All English texts, out of one file per area. Their keys are those of every language.
import { newBot } from './en/new-bot.ts';
import { shell } from './en/shell.ts';
import { bot } from './en/bot.ts';
import { bots } from './en/bots.ts';
import { console } from './en/console.ts';
import { env } from './en/env.ts';
import { files } from './en/files.ts';

export const en = { ...shell, ...bots, ...bot, ...console, ...env, ...files, ...newBot };
