// Sends a stored log as a download; browsers never render it as a page of this site.
import { Readable } from 'node:stream';
import { protectDownload } from '../../core/http/protect-download.ts';
import type { FastifyReply } from 'fastify';
import type { AccessLine, LogText } from '../../core/domain/log-line.ts';
import type { LogDownload } from '../services/log-download.ts';
import { type LogFileFormat, logFileFormats } from './log-files.ts';
import { isoTime } from '../../core/http/present.ts';

type Download = LogDownload<LogText> | LogDownload<AccessLine>;

/** Media types of the formats. */
export const logFileTypes = ['text/plain', logFileFormats.ndjson.mediaType];

/** Absent `format` = text. */
export function sendLogFile(
  reply: FastifyReply,
  download: Download,
  format: keyof typeof logFileFormats = 'txt',
): FastifyReply {
  const file = logFileFormats[format];
  // No read-ahead: a slow client keeps only one page in memory.
  const body = Readable.from(bytesOf(download, file), { objectMode: true, highWaterMark: 0 });
  download.signal.addEventListener('abort', () => body.destroy());
  reply.raw.once('close', () => download.close());
  if (reply.raw.destroyed) download.close();
  const time = isoTime(download.at).slice(0, 19).replaceAll(':', '-');
  return protectDownload(reply, `${download.subject.name}-${time}Z.${file.extension}`).type(file.mediaType).send(body);
}

async function* bytesOf(download: Download, file: LogFileFormat): AsyncGenerator<Buffer> {
  for await (const page of download.pages()) {
    const text = file.write(page);
    if (text !== '') yield Buffer.from(text);
  }
}
