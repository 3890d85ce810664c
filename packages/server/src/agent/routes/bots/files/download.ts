// GET /bots/:id/files/download
import { botParams } from '@botel/contract/bots';
import { protectDownload } from '../../../../core/http/protect-download.ts';
import { downloadQuery } from '@botel/contract/files';
import { defineRawRoute } from '../../define-route.ts';
import { fileMediaType, nameOf, partFor, sendFile } from './send-file.ts';

const zipMediaType = 'application/zip';

export const downloadFiles = defineRawRoute({
  method: 'GET',
  url: '/bots/:id/files/download',
  summary: 'A file of the bot, or a folder as a zip file, to be saved',
  scope: 'files.read',
  produces: [fileMediaType, zipMediaType],
  params: botParams,
  query: downloadQuery,
  async send({ services, caller, params, query, request, signal }, reply) {
    const { bot, stream } = await services.files.zip(caller, params.id, query.path, { signal });
    if (stream)
      return protectDownload(reply, `${nameOf(query.path) || bot.name}.zip`)
        .type(zipMediaType)
        .send(stream);
    const file = await services.files.read(caller, params.id, query.path, { choose: partFor(request, reply), signal });
    return sendFile(reply, file, query.path);
  },
});
