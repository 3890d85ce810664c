// POST /bots/:id/files/compress
import { botParams } from '@botel/contract/bots';
import { compressBody, fileCount } from '@botel/contract/files';
import { defineRoute } from '../../define-route.ts';

export const compressFiles = defineRoute({
  method: 'POST',
  url: '/bots/:id/files/compress',
  summary: 'Pack files and folders of the bot into a new .zip or .tar.gz file',
  scope: 'files.write',
  params: botParams,
  body: compressBody,
  data: fileCount,
  async handle({ services, caller, params, body, signal }) {
    return { data: { count: await services.files.compress(caller, params.id, { ...body, signal }) } };
  },
});
