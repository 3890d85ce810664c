// Sends a download of a stored log. What others wrote is never shown as a page of this site.
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

/** `format` is text when left out. */
export function sendLogFile(
  reply: FastifyReply,
  download: Download,
  format: keyof typeof logFileFormats = 'txt',
): FastifyReply {
  const file = logFileFormats[format];
  // No read-ahead: one page at a time is all that a slow client keeps in memory.
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
