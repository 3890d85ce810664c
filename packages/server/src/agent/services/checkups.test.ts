// Checkups of the machine: one at a time, cached for a moment, and never begun before the last one
// has ended completely.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { CheckupsService } from './checkups.ts';

type Findings = { check: 'clock'; state: 'ok'; text: string }[];

test('who asks meanwhile joins; the next one begins when the last is over and old', async () => {
  let now = 0;
  const begun: { findings: (found: Findings) => void; end: () => void }[] = [];
  const service = new CheckupsService(
    () => {
      const [findings, ended] = [Promise.withResolvers<Findings>(), Promise.withResolvers<void>()];
      begun.push({ findings: findings.resolve, end: ended.resolve });
      return { findings: findings.promise, ended: ended.promise };
    },
    { now: () => now, after: () => assert.fail('nothing waits') },
  );
  const checks = [service.check(), service.check()];
  assert.equal(begun.length, 1);
  begun[0]!.findings([{ check: 'clock', state: 'ok', text: 'first' }]);
  const [one, other] = await Promise.all(checks);
  assert.equal(one, other);
  now = 60_000;
  assert.equal(await service.check(), one, 'its thread is still there');
  begun[0]!.end();
  await turn();
  void service.check();
  assert.equal(begun.length, 2);
  begun[1]!.findings([]);
  begun[1]!.end();
  await turn();
  now += 1000;
  assert.deepEqual(await service.check(), { findings: [], at: 60_000 });
  assert.equal(begun.length, 2);
});

test('one that can not begin fails, and keeps none from beginning', async () => {
  let tries = 0;
  const service = new CheckupsService(
    () => {
      if (tries++ === 0) throw new Error('no thread');
      return { findings: Promise.resolve([]), ended: Promise.resolve() };
    },
    { now: () => 0, after: () => assert.fail('nothing waits') },
  );
  await assert.rejects(service.check(), { message: 'no thread' });
  assert.deepEqual(await service.check(), { findings: [], at: 0 });
});
