// GET /bots/:id/files
import { botParams } from '@botel/contract/bots';
import { fileList, listFilesQuery } from '@botel/contract/files';
import { defineRoute } from '../../define-route.ts';

export const listFiles = defineRoute({
  method: 'GET',
  url: '/bots/:id/files',
  summary: 'One page of a folder of the bot, by name',
  scope: 'files.read',
  params: botParams,
  query: listFilesQuery,
  data: fileList,
  async handle({ services, caller, params, query, signal }) {
    const { path, limit, cursor } = query;
    const list = await services.files.list(caller, params.id, { path, limit, cursor: cursor ?? null, signal });
    const entries = list.entries.map((entry) => ({
      name: entry.name,
      type: entry.type,
      size_bytes: entry.sizeBytes,
      mode: entry.mode,
      modified_at: entry.modifiedAt.toISOString(),
    }));
    return { data: { path, entries, count: list.count, next_cursor: list.nextCursor } };
  },
});
