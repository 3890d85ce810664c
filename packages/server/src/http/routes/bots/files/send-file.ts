// Sends the bytes of a bot's file. What a bot wrote is never shown as a page of this site.
import type { FastifyReply } from 'fastify';
import type { FilesService } from '../../../../services/files.ts';

/** Media type of every file: what is in it is the user's business. */
export const fileMediaType = 'application/octet-stream';

/** Answers with a file and its facts. */
export function sendFile(reply: FastifyReply, file: Awaited<ReturnType<FilesService['read']>>): FastifyReply {
  return protect(reply)
    .type(fileMediaType)
    .header('Content-Length', file.sizeBytes)
    .header('Last-Modified', file.modifiedAt.toUTCString())
    .header('ETag', file.etag)
    .send(file.stream);
}

/** Headers against a browser that would run what it gets. */
export function protect(reply: FastifyReply): FastifyReply {
  return reply
    .header('Cache-Control', 'private, no-cache')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Content-Security-Policy', "sandbox; default-src 'none'");
}

/** `Content-Disposition` of a download; other than plain ASCII is percent-encoded (RFC 6266). */
export function attachment(name: string): string {
  const plain = name.replace(/[^ !#-$&-[\]-~]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
