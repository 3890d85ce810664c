// POST /bots/:id/files/mkdir
import { botParams } from '@botel/contract/bots';
import { fileCount, makeFolderBody } from '@botel/contract/files';
import { defineRoute } from '../../define-route.ts';

export const makeFolder = defineRoute({
  method: 'POST',
  url: '/bots/:id/files/mkdir',
  summary: 'Make a folder of the bot and those that it is in',
  scope: 'files.write',
  params: botParams,
  body: makeFolderBody,
  data: fileCount,
  async handle({ services, caller, params, body }) {
    await services.files.makeFolder(caller, params.id, body.path);
    return { data: { count: 1 } };
  },
});
