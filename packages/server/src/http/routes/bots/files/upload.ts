// POST /bots/:id/files/upload
import { botParams } from '@botel/contract/bots';
import { uploadedFiles, uploadQuery } from '@botel/contract/files';
import { defineRoute } from '../../../define-route.ts';
import { bodyOf, whileReceiving } from './request-body.ts';

export const uploadFiles = defineRoute({
  method: 'POST',
  url: '/bots/:id/files/upload',
  summary: 'Send a file, or an archive that is unpacked into a folder, all or nothing',
  scope: 'files.write',
  bodyKind: 'raw',
  consumes: ['application/octet-stream', 'application/zip', 'application/x-tar', 'application/gzip'],
  params: botParams,
  query: uploadQuery,
  data: uploadedFiles,
  async handle({ services, caller, params, query, request }) {
    const { path, extract, overwrite, mirror } = query;
    const sent = bodyOf(request);
    const result = await whileReceiving(request, async () => {
      if (extract) {
        return services.files.upload(caller, params.id, { ...sent, path, format: extract, overwrite, mirror });
      }
      const facts = await services.files.write(caller, params.id, { ...sent, path, onlyNew: !overwrite });
      return { filesWritten: 1, bytesWritten: facts.sizeBytes, filesDeleted: 0 };
    });
    return {
      data: {
        files_written: result.filesWritten,
        bytes_written: result.bytesWritten,
        files_deleted: result.filesDeleted,
      },
    };
  },
});
