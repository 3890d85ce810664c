// Headers of downloads: browsers save untrusted content and never render it as a page of this site.
import type { FastifyReply } from 'fastify';

/** `name` is the file name on the reader's disk. */
export function protectDownload(reply: FastifyReply, name: string): FastifyReply {
  return reply
    .header('Content-Disposition', attachment(name))
    .header('Cache-Control', 'private, no-cache')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Content-Security-Policy', "sandbox; default-src 'none'");
}

/** `Content-Disposition` of a download; non-ASCII is percent-encoded (RFC 6266). */
function attachment(name: string): string {
  const plain = name.replace(/[^ !#-$&-[\]-~]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
