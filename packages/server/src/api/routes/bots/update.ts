// POST /bots/update
import { bot, updateBotBody } from '@botel/contract/bots';
import { defineRoute } from '../../http/define-route.ts';
import { presentBot } from '../../../core/http/present.ts';

export const updateBot = defineRoute({
  method: 'POST',
  url: '/bots/update',
  summary: 'Change settings of a bot; a running one has them after its next start',
  scope: 'bot.update',
  body: updateBotBody,
  data: bot,
  async handle({ services, caller, body }) {
    const { restart_policy: policy, stop } = body;
    const before = await services.bots.own(caller, body.bot_id);
    const view = await services.bots.update(caller, body.bot_id, {
      name: body.name,
      memoryMb: body.memory,
      startupCommand: body.startup_command,
      buildCommand: body.build_command === '' ? null : body.build_command,
      runtimeVersion: body.runtime_version,
      network: body.network,
      stdin: body.stdin,
      diskMb: body.disk_mb,
      packages: body.packages,
      restartPolicy: policy && {
        mode: policy.mode,
        maxRetries: policy.max_retries ?? null,
        backoffMaxSeconds: policy.backoff_max_seconds ?? before.restartPolicy.backoffMaxSeconds,
      },
      stop: stop && {
        signal: stop.signal ?? before.stop.signal,
        graceSeconds: stop.grace_seconds ?? before.stop.graceSeconds,
      },
    });
    return { data: presentBot(view), message: `Bot "${view.bot.name}" was updated` };
  },
});
