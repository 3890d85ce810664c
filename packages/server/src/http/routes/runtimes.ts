// GET /runtimes
import { languages, runtimes as runtimesData } from '@botel/contract/bots';
import { runtimeVersions } from '../../domain/languages.ts';
import { definePublicRoute } from '../define-route.ts';

export const runtimes = definePublicRoute({
  method: 'GET',
  url: '/runtimes',
  summary: 'Languages and the versions of their runtimes',
  scope: null,
  data: runtimesData,
  async handle() {
    const list = languages.map((language) => {
      const [first, ...others] = runtimeVersions[language];
      return { language, versions: [first, ...others], default: first };
    });
    return { data: { runtimes: list } };
  },
});
