// Serves the dashboard and its API reference, without external content or framing.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../core/domain/errors.ts';
import { DashboardFiles } from './dashboard-files.ts';

/** Libraries set inline styles; scripts must come from this origin. */
const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const headers = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Accept-Encoding',
};

const unseen = { schema: { hide: true } };

/** `directory`: the dashboard's build. */
export function serveDashboard(app: FastifyInstance, directory: string): void {
  let files: Promise<DashboardFiles> | undefined;
  for (const url of ['/', '/dashboard'])
    app.get(url, unseen, (_request, reply) => reply.header('Cache-Control', 'no-cache').redirect('/dashboard/', 302));
  app.get('/docs', unseen, async (request, reply) => {
    files ??= DashboardFiles.read(directory);
    return send(await files, 'docs/index.html', request, reply);
  });
  app.get<{ Params: { '*': string } }>('/dashboard/*', unseen, async (request, reply) => {
    files ??= DashboardFiles.read(directory);
    return send(await files, request.params['*'], request, reply);
  });
}

function send(files: DashboardFiles, path: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const file = files.find(path, request.headers['accept-encoding']);
  if (!file) throw fail.notFound();
  reply
    .headers(headers)
    .header('ETag', file.etag)
    .header('Cache-Control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send();
  if (file.encoding) reply.header('Content-Encoding', file.encoding);
  return reply.type(file.type).send(file.bytes);
}
