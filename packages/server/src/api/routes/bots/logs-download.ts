// GET /bots/:id/logs/download
import { botParams } from '@botel/contract/bots';
import { logDownloadQuery } from '@botel/contract/logs';
import { defineRawRoute } from '../../http/define-route.ts';
import { logFileTypes, sendLogFile } from '../../http/send-log-file.ts';

export const downloadLogs = defineRawRoute({
  method: 'GET',
  url: '/bots/:id/logs/download',
  summary: "A bot's stored log as a file, oldest line first, up to now",
  scope: 'logs.read',
  produces: logFileTypes,
  params: botParams,
  query: logDownloadQuery,
  async send({ services, caller, params, query }, reply) {
    const { format, q, ...wanted } = query;
    return sendLogFile(reply, await services.logs.download(caller, params.id, { ...wanted, contains: q }), format);
  },
});
