// A Discord bot: whoever says /checkin gets a room. Its token is in the variable DISCORD_TOKEN.
import { Client, Events, GatewayIntentBits } from 'discord.js';

const token = process.env.DISCORD_TOKEN;
if (!token) {
  console.error('DISCORD_TOKEN is not set: add it to the environment of this bot');
  process.exit(1);
}

const client = new Client({ intents: [GatewayIntentBits.Guilds] });

client.once(Events.ClientReady, async ({ application, guilds, user }) => {
  await application.commands.set([{ name: 'checkin', description: 'Get a room' }]);
  console.log(`${user.tag} is ready on ${guilds.cache.size} servers`);
});

client.on(Events.InteractionCreate, async (interaction) => {
  if (!interaction.isChatInputCommand() || interaction.commandName !== 'checkin') return;
  const room = 100 + Math.floor(Math.random() * 300);
  await interaction.reply(`Welcome, ${interaction.user.displayName}! Your room is ${room}.`);
  console.log(`${interaction.user.tag} checked in, room ${room}`);
});

client.on(Events.Error, (error) => console.error(error));

process.once('SIGTERM', async () => {
  await client.destroy();
  console.log('bye');
  process.exit(0);
});

await client.login(token);
