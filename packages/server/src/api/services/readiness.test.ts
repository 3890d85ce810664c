// When bots that wait for the reconciler make the service not ready.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { ReadinessService } from './readiness.ts';

function serviceWith(oldestWaitMs: number): ReadinessService {
  return new ReadinessService({
    bots: { ids: async () => [] } as never,
    settings: { engineState: async () => ({ available: true }) } as never,
    storage: { level: async () => 'ok' },
    agent: { answers: () => true, state: { firewallFault: null, oldestWaitMs } },
    dataDirectory: tmpdir(),
  });
}

test('a wait of a minute is told, a longer one makes the service not ready', async () => {
  const busy = serviceWith(60_000);
  await busy.check();
  assert.equal(busy.oldestWaitSeconds, 60);
  const stuck = serviceWith(75_000);
  await assert.rejects(stuck.check(), { code: 'not_ready', message: 'Not ready: queue (a bot has waited for 75 s)' });
  assert.deepEqual(
    (await stuck.inspect()).filter(({ fault }) => fault !== null).map(({ part }) => part),
    ['queue'],
  );
});
