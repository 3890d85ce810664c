"""A Discord bot: whoever says /checkin gets a room. Its token is in the variable DISCORD_TOKEN."""

import os
import random
import signal
import sys

import discord


class Receptionist(discord.Client):
    def __init__(self):
        super().__init__(intents=discord.Intents.default())
        self.tree = discord.app_commands.CommandTree(self)

    async def setup_hook(self):
        await self.tree.sync()

    async def on_ready(self):
        print(f"{self.user} is ready on {len(self.guilds)} servers")


token = os.environ.get("DISCORD_TOKEN")
if not token:
    sys.exit("DISCORD_TOKEN is not set: add it to the environment of this bot")

client = Receptionist()


@client.tree.command(description="Get a room")
async def checkin(interaction: discord.Interaction):
    room = random.randint(100, 399)
    await interaction.response.send_message(f"Welcome, {interaction.user.display_name}! Your room is {room}.")
    print(f"{interaction.user} checked in, room {room}")


# A stop is a SIGTERM; discord.py closes its connection on SIGINT.
signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
client.run(token)
print("bye")
