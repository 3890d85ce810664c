// English texts of the first page and of the console, which every page may need.
import { bot } from './en/bot.ts';
import { bots } from './en/bots.ts';
import { console } from './en/console.ts';
import { shell } from './en/shell.ts';

export const first = { ...shell, ...bots, ...bot, ...console };
