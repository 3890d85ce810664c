// GET /usage
import { usage as usageData } from '@botel/contract/accounts';
import { defineRoute } from '../http/define-route.ts';

export const usage = defineRoute({
  method: 'GET',
  url: '/usage',
  summary: "What the caller's plan allows and what is used",
  scope: 'usage.read',
  data: usageData,
  async handle({ services, caller }) {
    return { data: await services.usage.of(caller) };
  },
});
