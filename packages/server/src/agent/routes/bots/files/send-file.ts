// Sends a bot's file, or a range of it; never shown as a page of this site.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../../../core/domain/errors.ts';
import { protectDownload } from '../../../../core/http/protect-download.ts';
import { parseRange } from '../../../../core/lib/byte-range.ts';
import type { FilesService } from '../../../services/files.ts';

/** Media type of every file: the server doesn't guess its content. */
export const fileMediaType = 'application/octet-stream';

type OpenedFile = Awaited<ReturnType<FilesService['read']>>;
type Choose = NonNullable<NonNullable<Parameters<FilesService['read']>[3]>['choose']>;

/** The `Range`, unless `If-Range` names another version; 416 when it begins after the end. */
export function partFor(request: FastifyRequest, reply: FastifyReply): Choose {
  const { range: header = '', 'if-range': version } = request.headers;
  return ({ sizeBytes, etag }) => {
    const range = version === undefined || version === etag ? parseRange(header, sizeBytes) : null;
    if (range === 'unsatisfiable') {
      reply.header('Content-Range', `bytes */${sizeBytes}`);
      throw fail.rangeNotSatisfiable();
    }
    if (!range) return { start: 0, length: sizeBytes };
    reply.code(206).header('Content-Range', `bytes ${range.start}-${range.start + range.length - 1}/${sizeBytes}`);
    return range;
  };
}

/** Answers with a file or its opened range. `path` is relative to the bot's home. */
export function sendFile(reply: FastifyReply, file: OpenedFile, path: string): FastifyReply {
  return protectDownload(reply, nameOf(path))
    .type(fileMediaType)
    .header('Accept-Ranges', 'bytes')
    .header('Content-Length', file.range.length)
    .header('Last-Modified', file.modifiedAt.toUTCString())
    .header('ETag', file.etag)
    .send(file.stream);
}

/** The last part of a path; '' of the home. */
export function nameOf(path: string): string {
  return path.split('/').at(-1) ?? '';
}
