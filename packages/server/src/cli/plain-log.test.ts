// The plain line of each log record.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainLine } from './plain-log.ts';

test('time, level, message, fields and the cause', () => {
  const record = {
    level: 40,
    time: 0,
    pid: 1,
    hostname: 'h',
    bot: 'b1',
    count: 2,
    err: { message: 'why' },
    msg: 'step failed',
  };
  assert.match(plainLine(JSON.stringify(record)), /^\d\d:\d\d:\d\d warn step failed bot=b1 count=2 \(why\)$/);
});
