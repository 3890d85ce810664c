"""A Telegram bot: /start greets, /checkin gives a room, all else is repeated. Its token is in the variable TELEGRAM_TOKEN."""

import os
import random
import sys

from telegram import Update
from telegram.ext import Application, CommandHandler, ContextTypes, MessageHandler, filters


async def start(update: Update, _: ContextTypes.DEFAULT_TYPE):
    await update.effective_message.reply_text(f"Welcome, {update.effective_user.first_name}! Say /checkin.")


async def checkin(update: Update, _: ContextTypes.DEFAULT_TYPE):
    await update.effective_message.reply_text(f"Your room is {random.randint(100, 399)}.")


async def repeat(update: Update, _: ContextTypes.DEFAULT_TYPE):
    await update.effective_message.reply_text(update.effective_message.text)


async def ready(application: Application):
    print(f"@{application.bot.username} is ready")


async def end(_: Application):
    print("bye")


token = os.environ.get("TELEGRAM_TOKEN")
if not token:
    sys.exit("TELEGRAM_TOKEN is not set: add it to the environment of this bot")

application = Application.builder().token(token).post_init(ready).post_shutdown(end).build()
application.add_handler(CommandHandler("start", start))
application.add_handler(CommandHandler("checkin", checkin))
application.add_handler(MessageHandler(filters.TEXT & ~filters.COMMAND, repeat))
# Ends on SIGTERM, which is how it is stopped.
application.run_polling()
