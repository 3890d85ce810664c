// POST /bots/:id/files/upload
import { botParams } from '@botel/contract/bots';
import { uploadedFiles, uploadQuery } from '@botel/contract/files';
import { fail } from '../../../../core/domain/errors.ts';
import { defineRoute } from '../../define-route.ts';
import { formFiles, isForm, onlyFile } from './form-files.ts';
import { bodyOf, whileReceiving } from './request-body.ts';

export const uploadFiles = defineRoute({
  method: 'POST',
  url: '/bots/:id/files/upload',
  summary: 'Send a file, a form with many files, or an archive that is unpacked into a folder; all or nothing',
  scope: 'files.write',
  bodyKind: 'raw',
  consumes: [
    'application/octet-stream',
    'application/zip',
    'application/x-tar',
    'application/gzip',
    'multipart/form-data',
  ],
  params: botParams,
  query: uploadQuery,
  data: uploadedFiles,
  async handle({ services, caller, params, query, request, signal }) {
    const { files } = services;
    const { extract: format, ...place } = query;
    const sent = { ...bodyOf(request), signal };
    const receive = async () => {
      if (format) {
        const body = isForm(request) ? onlyFile(request) : sent.body;
        return files.upload(caller, params.id, { ...sent, ...place, body, format });
      }
      if (isForm(request)) {
        return files.uploadFiles(caller, params.id, { ...sent, ...place, files: formFiles(request) });
      }
      if (place.path === '') throw fail.invalidInput('path', 'is required');
      const facts = await files.write(caller, params.id, { ...sent, path: place.path, onlyNew: !place.overwrite });
      return { filesWritten: 1, bytesWritten: facts.sizeBytes, filesDeleted: 0 };
    };
    const result = await whileReceiving(request, receive);
    return {
      data: {
        files_written: result.filesWritten,
        bytes_written: result.bytesWritten,
        files_deleted: result.filesDeleted,
      },
    };
  },
});
