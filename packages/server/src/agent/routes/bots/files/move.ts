// POST /bots/:id/files/move
import { botParams } from '@botel/contract/bots';
import { fileCount, fromToBody } from '@botel/contract/files';
import { defineRoute } from '../../define-route.ts';

export const moveFile = defineRoute({
  method: 'POST',
  url: '/bots/:id/files/move',
  summary: 'Give a file or folder of the bot another path, where nothing may be',
  scope: 'files.write',
  params: botParams,
  body: fromToBody,
  data: fileCount,
  async handle({ services, caller, params, body }) {
    await services.files.move(caller, params.id, body);
    return { data: { count: 1 } };
  },
});
