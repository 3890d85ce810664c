// POST /bots/create
import { createBotBody, createdBot } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';
import { presentCreatedBot } from '../../../core/http/present.ts';

export const createBot = defineRoute({
  method: 'POST',
  url: '/bots/create',
  summary: 'Create a bot; it is not started',
  scope: 'bot.create',
  body: createBotBody,
  data: createdBot,
  status: 201,
  async handle({ services, caller, body }) {
    const bot = await services.bots.create(caller, {
      name: body.name,
      language: body.language,
      memoryMb: body.memory,
      startupCommand: body.startup_command,
      buildCommand: body.build_command || null,
      environment: body.environment ?? {},
    });
    return {
      data: presentCreatedBot(bot),
      message: `Bot "${bot.name}" was created. Use POST /bots/start to run it.`,
    };
  },
});
