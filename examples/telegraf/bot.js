// A Telegram bot: /start greets, /checkin gives a room, all else is repeated. Its token is in the variable TELEGRAM_TOKEN.
import { Telegraf } from 'telegraf';
import { message } from 'telegraf/filters';

const token = process.env.TELEGRAM_TOKEN;
if (!token) {
  console.error('TELEGRAM_TOKEN is not set: add it to the environment of this bot');
  process.exit(1);
}

const bot = new Telegraf(token);

bot.start((context) => context.reply(`Welcome, ${context.from.first_name}! Say /checkin.`));
bot.command('checkin', (context) => context.reply(`Your room is ${100 + Math.floor(Math.random() * 300)}.`));
bot.on(message('text'), (context) => context.reply(context.message.text));

bot.catch((error, context) => console.error(`update ${context.update.update_id} failed:`, error));

process.once('SIGTERM', () => {
  bot.stop('SIGTERM');
  console.log('bye');
});

await bot.launch(() => console.log(`@${bot.botInfo.username} is ready`));
