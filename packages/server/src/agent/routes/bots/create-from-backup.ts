// POST /bots/create-from-backup
import { createdBot, createFromBackupBody } from '@botel/contract/bots';
import { requireScope } from '../../../core/domain/access.ts';
import { defineRoute } from '../define-route.ts';
import { presentCreatedBot } from '../../../core/http/present.ts';

export const createBotFromBackup = defineRoute({
  method: 'POST',
  url: '/bots/create-from-backup',
  summary: "Create a bot of a backup's files and settings; it is not started. Answers when all of it is there",
  scope: 'bot.create',
  body: createFromBackupBody,
  data: createdBot,
  status: 201,
  async handle({ services, caller, body }) {
    requireScope(caller, 'backups.read');
    requireScope(caller, 'backups.restore');
    const wanted = { name: body.name, memoryMb: body.memory };
    const { bot, backup } = await services.restores.createBot(caller, body.backup_id, wanted);
    return {
      data: presentCreatedBot(bot),
      message: `Bot "${bot.name}" was created from backup "${backup.name}". Use POST /bots/start to run it.`,
    };
  },
});
