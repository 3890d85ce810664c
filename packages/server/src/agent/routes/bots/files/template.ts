// POST /bots/:id/files/template
import { botParams } from '@botel/contract/bots';
import { fileCount } from '@botel/contract/files';
import { templateBody } from '@botel/contract/templates';
import { defineRoute } from '../../define-route.ts';

export const applyTemplate = defineRoute({
  method: 'POST',
  url: '/bots/:id/files/template',
  summary: "Put a template's files into the bot's home, where none of them may be; all or nothing",
  scope: 'files.write',
  params: botParams,
  body: templateBody,
  data: fileCount,
  async handle({ services, caller, params, body, signal }) {
    return { data: { count: await services.templates.apply(caller, params.id, body.template_id, signal) } };
  },
});
