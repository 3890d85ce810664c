// POST /bots/input
import { inputBody, writtenInput } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';

export const writeInput = defineRoute({
  method: 'POST',
  url: '/bots/input',
  summary: 'Write a text to the stdin of a running bot that was started with one',
  scope: 'exec',
  body: inputBody,
  data: writtenInput,
  async handle({ services, caller, body }) {
    return { data: await services.inputs.send(caller, body.bot_id, body.text) };
  },
});
