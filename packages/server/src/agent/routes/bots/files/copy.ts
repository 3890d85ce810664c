// POST /bots/:id/files/copy
import { botParams } from '@botel/contract/bots';
import { fileCount, fromToBody } from '@botel/contract/files';
import { defineRoute } from '../../define-route.ts';

export const copyFile = defineRoute({
  method: 'POST',
  url: '/bots/:id/files/copy',
  summary: 'Copy a file or a whole folder of the bot to a path where nothing is; all or nothing',
  scope: 'files.write',
  params: botParams,
  body: fromToBody,
  data: fileCount,
  async handle({ services, caller, params, body, signal }) {
    return { data: { count: await services.files.copy(caller, params.id, { ...body, signal }) } };
  },
});
