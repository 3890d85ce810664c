// Headers of a download: what others wrote is saved by the browser, never shown as a page of this
// site.
import type { FastifyReply } from 'fastify';

/** Adds them; `name` is that of the file on the reader's disk. */
export function protectDownload(reply: FastifyReply, name: string): FastifyReply {
  return reply
    .header('Content-Disposition', attachment(name))
    .header('Cache-Control', 'private, no-cache')
    .header('X-Content-Type-Options', 'nosniff')
    .header('Content-Security-Policy', "sandbox; default-src 'none'");
}

/** `Content-Disposition` of a download; other than plain ASCII is percent-encoded (RFC 6266). */
function attachment(name: string): string {
  const plain = name.replace(/[^ !#-$&-[\]-~]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
