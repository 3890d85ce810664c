// GET /backups/:id/download
import { backupLinkQuery } from '@botel/contract/backups';
import { protectDownload } from '../../../core/http/protect-download.ts';
import { botParams } from '@botel/contract/bots';
import { defineRawRoute } from '../define-route.ts';

const mediaType = 'application/gzip';

export const downloadBackup = defineRawRoute({
  method: 'GET',
  url: '/backups/:id/download',
  summary: 'A backup as a tar.gz file, by the `download_url` of it',
  scope: null,
  produces: [mediaType],
  params: botParams,
  query: backupLinkQuery,
  async send({ services, params, query }, reply) {
    const { expires = '', session = '', signature = '' } = query;
    const link = { expires, session, signature };
    const { backup, sizeBytes, stream } = await services.backups.download(params.id, link);
    return protectDownload(reply, `${backup.name.replaceAll('/', '_')}.tar.gz`)
      .type(mediaType)
      .header('Content-Length', sizeBytes)
      .send(stream);
  },
});
