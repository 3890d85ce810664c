// PUT /bots/:id/files/content
import { botParams } from '@botel/contract/bots';
import { filePathQuery, writtenFile } from '@botel/contract/files';
import { defineRoute } from '../../define-route.ts';
import { bodyOf, whileReceiving } from './request-body.ts';

export const writeFileContent = defineRoute({
  method: 'PUT',
  url: '/bots/:id/files/content',
  summary: 'Make or replace a file of the bot; If-Match and If-None-Match: * guard against lost changes',
  scope: 'files.write',
  bodyKind: 'raw',
  params: botParams,
  query: filePathQuery,
  data: writtenFile,
  async handle({ services, caller, params, query, request, signal }) {
    const input = {
      ...bodyOf(request),
      signal,
      path: query.path,
      ifMatch: request.headers['if-match'],
      onlyNew: request.headers['if-none-match'] === '*',
    };
    const facts = await whileReceiving(request, () => services.files.write(caller, params.id, input));
    const { sizeBytes, modifiedAt, etag } = facts;
    return { data: { path: query.path, size_bytes: sizeBytes, modified_at: modifiedAt.toISOString(), etag } };
  },
});
