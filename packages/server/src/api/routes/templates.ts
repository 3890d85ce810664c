// GET /templates
import { templateList } from '@botel/contract/templates';
import { defineRoute } from '../http/define-route.ts';

export const listTemplates = defineRoute({
  method: 'GET',
  url: '/templates',
  summary: 'Small bots that come with Botel, to begin with',
  scope: null,
  data: templateList,
  async handle({ services }) {
    const templates = (await services.templates.list()).map(({ memoryMb, startupCommand, ...rest }) => ({
      ...rest,
      memory: memoryMb,
      startup_command: startupCommand,
    }));
    return { data: { templates } };
  },
});
