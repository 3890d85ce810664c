// What the top-level files of a bot say about its startup.
import { queryOptions } from '@tanstack/react-query';
import { listFolder, readFile } from '../files/files-api.ts';
import { textOf } from '../files/file-kinds.ts';
import { versionFiles } from './version-guess.ts';

const maxBytes = 256 * 1024;

export interface Project {
  /** Of top-level files. */
  names: string[];
  texts: Partial<Record<(typeof versionFiles)[number], string>>;
}

export function projectQuery(botId: string) {
  return queryOptions({
    queryKey: ['project', botId],
    queryFn: async ({ signal }): Promise<Project> => {
      const { entries } = await listFolder(botId, '', null, signal);
      const names = entries.filter(({ type }) => type === 'file').map(({ name }) => name);
      const texts: Project['texts'] = {};
      for (const name of versionFiles) {
        if (!names.includes(name)) continue;
        const content = await readFile(botId, name, maxBytes);
        texts[name] = (content && textOf(content.bytes)) ?? '';
      }
      return { names, texts };
    },
  });
}
