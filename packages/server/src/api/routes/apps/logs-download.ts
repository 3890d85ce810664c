// GET /apps/:id/logs/download
import { accessDownloadQuery } from '@botel/contract/app-traffic';
import { appParams } from '@botel/contract/apps';
import { defineRawRoute } from '../../http/define-route.ts';
import { logFileTypes, sendLogFile } from '../../http/send-log-file.ts';

export const downloadAppLogs = defineRawRoute({
  method: 'GET',
  url: '/apps/:id/logs/download',
  summary: 'The requests to an app as a file, oldest first, up to now',
  scope: 'logs.read',
  produces: logFileTypes,
  params: appParams,
  query: accessDownloadQuery,
  async send({ services, caller, params, query }, reply) {
    const { format, q, ...wanted } = query;
    return sendLogFile(
      reply,
      await services.appTraffic.download(caller, params.id, { ...wanted, contains: q }),
      format,
    );
  },
});
