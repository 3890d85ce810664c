// A Telegram bot: /start greets, /checkin gives a room, all else is repeated. Its token is in the variable TELEGRAM_TOKEN.
import { Bot } from 'grammy';

const token = process.env.TELEGRAM_TOKEN;
if (!token) {
  console.error('TELEGRAM_TOKEN is not set: add it to the environment of this bot');
  process.exit(1);
}

const bot = new Bot(token);

bot.command('start', (context) => context.reply(`Welcome, ${context.from?.first_name ?? 'guest'}! Say /checkin.`));
bot.command('checkin', (context) => context.reply(`Your room is ${100 + Math.floor(Math.random() * 300)}.`));
bot.on('message:text', (context) => context.reply(context.message.text));

bot.catch(({ error, ctx }) => console.error(`update ${ctx.update.update_id} failed:`, error));

process.once('SIGTERM', async () => {
  await bot.stop();
  console.log('bye');
});

await bot.start({ onStart: ({ username }) => console.log(`@${username} is ready`) });
