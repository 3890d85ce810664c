// POST /bots/:id/files/extract
import { botParams } from '@botel/contract/bots';
import { extractBody, fileCount } from '@botel/contract/files';
import { defineRoute } from '../../define-route.ts';

export const extractFiles = defineRoute({
  method: 'POST',
  url: '/bots/:id/files/extract',
  summary: 'Unpack an archive of the bot into a folder of it; all or nothing',
  scope: 'files.write',
  params: botParams,
  body: extractBody,
  data: fileCount,
  async handle({ services, caller, params, body, signal }) {
    return { data: { count: await services.files.extract(caller, params.id, { ...body, signal }) } };
  },
});
