// Sends the bytes of a bot's file, or a part of them. What a bot wrote is never shown as a page of this site.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../../../core/domain/errors.ts';
import { parseRange } from '../../../../core/lib/byte-range.ts';
import type { FilesService } from '../../../services/files.ts';

/** Media type of every file: what is in it is the user's business. */
export const fileMediaType = 'application/octet-stream';

type OpenedFile = Awaited<ReturnType<FilesService['read']>>;
type Choose = NonNullable<Parameters<FilesService['read']>[3]>;

/**
 * The part of a file that the request asks for (`Range`, unless `If-Range` names another version), for
 * services.files.read. Throws 416 when it begins after the end.
 */
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

/** Answers with a file, or the part of it that was opened, and its facts. `path`: in its bot. */
export function sendFile(reply: FastifyReply, file: OpenedFile, path: string): FastifyReply {
  return protect(reply, nameOf(path))
    .type(fileMediaType)
    .header('Accept-Ranges', 'bytes')
    .header('Content-Length', file.range.length)
    .header('Last-Modified', file.modifiedAt.toUTCString())
    .header('ETag', file.etag)
    .send(file.stream);
}

/** Headers against a browser that would run what it gets: it saves it under this name. */
export function protect(reply: FastifyReply, name: string): FastifyReply {
  return reply
    .header('Content-Disposition', attachment(name))
    .header('Cache-Control', 'private, no-cache')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Content-Security-Policy', "sandbox; default-src 'none'");
}

/** The last part of a path; '' of the home. */
export function nameOf(path: string): string {
  return path.split('/').at(-1) ?? '';
}

/** `Content-Disposition` of a download; other than plain ASCII is percent-encoded (RFC 6266). */
function attachment(name: string): string {
  const plain = name.replace(/[^ !#-$&-[\]-~]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
