// GET /bots/:id/files/download
import { botParams } from '@botel/contract/bots';
import { downloadQuery } from '@botel/contract/files';
import { defineRawRoute } from '../../../define-route.ts';
import { attachment, fileMediaType, partFor, protect, sendFile } from './send-file.ts';

const zipMediaType = 'application/zip';

export const downloadFiles = defineRawRoute({
  method: 'GET',
  url: '/bots/:id/files/download',
  summary: 'A file of the bot, or a folder as a zip file, to be saved',
  scope: 'files.read',
  needsHomes: true,
  produces: [fileMediaType, zipMediaType],
  params: botParams,
  query: downloadQuery,
  async send({ services, caller, params, query, request }, reply) {
    const name = query.path.split('/').at(-1) ?? '';
    const { bot, stream } = await services.files.zip(caller, params.id, query.path);
    if (stream) {
      reply.header('Content-Disposition', attachment(`${name || bot.name}.zip`));
      return protect(reply).type(zipMediaType).send(stream);
    }
    const file = await services.files.read(caller, params.id, query.path, partFor(request, reply));
    reply.header('Content-Disposition', attachment(name));
    return sendFile(reply, file);
  },
});
