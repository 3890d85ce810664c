// GET /bots/:id/logs/download
import { Readable } from 'node:stream';
import { botParams } from '@botel/contract/bots';
import { logDownloadQuery } from '@botel/contract/logs';
import type { LogDownload } from '../../../services/log-download.ts';
import { defineRawRoute } from '../../define-route.ts';
import { type LogFileFormat, logFileFormats } from '../../log-files.ts';
import { isoTime } from '../../present.ts';
import { attachment, protect } from './files/send-file.ts';

export const downloadLogs = defineRawRoute({
  method: 'GET',
  url: '/bots/:id/logs/download',
  summary: "A bot's stored log as a file, oldest line first, up to now",
  scope: 'logs.read',
  produces: ['text/plain', logFileFormats.ndjson.mediaType],
  params: botParams,
  query: logDownloadQuery,
  async send({ services, caller, params, query }, reply) {
    const { format = 'txt', q, ...wanted } = query;
    const download = await services.logs.download(caller, params.id, { ...wanted, contains: q });
    const file = logFileFormats[format];
    // No read-ahead: one page at a time is all that a slow client keeps in memory.
    const body = Readable.from(bytesOf(download, file), { objectMode: true, highWaterMark: 0 });
    download.signal.addEventListener('abort', () => body.destroy());
    reply.raw.once('close', () => download.close());
    if (reply.raw.destroyed) download.close();
    const time = isoTime(download.at).slice(0, 19).replaceAll(':', '-');
    return protect(reply)
      .type(file.mediaType)
      .header('Content-Disposition', attachment(`${download.bot.name}-${time}Z.${file.extension}`))
      .send(body);
  },
});

async function* bytesOf(download: LogDownload, file: LogFileFormat): AsyncGenerator<Buffer> {
  for await (const page of download.pages()) {
    const text = file.write(page);
    if (text !== '') yield Buffer.from(text);
  }
}
