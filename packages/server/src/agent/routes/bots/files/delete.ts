// POST /bots/:id/files/delete
import { botParams } from '@botel/contract/bots';
import { deleteFilesBody, fileCount } from '@botel/contract/files';
import { defineRoute } from '../../define-route.ts';

export const deleteFiles = defineRoute({
  method: 'POST',
  url: '/bots/:id/files/delete',
  summary: 'Delete files and whole folders of the bot; all must exist',
  scope: 'files.write',
  params: botParams,
  body: deleteFilesBody,
  data: fileCount,
  async handle({ services, caller, params, body }) {
    return { data: { count: await services.files.delete(caller, params.id, body.paths) } };
  },
});
