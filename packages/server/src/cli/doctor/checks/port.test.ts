// What the doctor says about the answer of GET /ready.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeReadiness } from './port.ts';

test('a long wait in the queue, a part that is not ready, and silence are worth knowing', () => {
  const cases = [
    [{ data: { oldest_wait_seconds: 0 } }, 'ok', /0 s/],
    [{ data: { oldest_wait_seconds: 30 } }, 'warn', /30 s/],
    [{ error: 'Not ready: queue (a bot has waited for 75 s)' }, 'warn', /75 s/],
    [null, 'warn', /does not answer/],
  ] as const;
  for (const [answer, state, text] of cases) {
    const finding = judgeReadiness(answer);
    assert.equal(finding.state, state);
    assert.match(finding.text, text);
  }
});
