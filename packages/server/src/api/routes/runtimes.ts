// GET /runtimes
import { runtimes as runtimesData } from '@botel/contract/bots';
import { languages } from '@botel/contract/vocabulary';
import { languageDefinitions } from '../../core/domain/languages/languages.ts';
import { defineRoute } from '../http/define-route.ts';

export const runtimes = defineRoute({
  method: 'GET',
  url: '/runtimes',
  summary: 'Languages, the versions of their runtimes, and the packages that bots may ask for',
  scope: null,
  data: runtimesData,
  async handle({ services }) {
    const list = languages.map((language) => {
      const [first, ...others] = languageDefinitions[language].versions;
      return { language, versions: [first, ...others], default: first };
    });
    return { data: { runtimes: list, packages: [...services.bots.allowedPackages] } };
  },
});
