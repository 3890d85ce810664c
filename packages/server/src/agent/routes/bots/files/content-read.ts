// GET /bots/:id/files/content
import { botParams } from '@botel/contract/bots';
import { filePathQuery } from '@botel/contract/files';
import { defineRawRoute } from '../../define-route.ts';
import { fileMediaType, partFor, sendFile } from './send-file.ts';

export const readFileContent = defineRawRoute({
  method: 'GET',
  url: '/bots/:id/files/content',
  summary: 'The bytes of a file of the bot, or the Range that is asked for, with its ETag',
  scope: 'files.read',
  produces: [fileMediaType],
  params: botParams,
  query: filePathQuery,
  async send({ services, caller, params, query, request, signal }, reply) {
    const file = await services.files.read(caller, params.id, query.path, { choose: partFor(request, reply), signal });
    return sendFile(reply, file, query.path);
  },
});
