// The arguments of tc: the plan's rate, and nothing but numbers and a device.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucket, limitBandwidth } from './bandwidth.ts';

test('the arguments of tc', () => {
  const expected = 'qdisc replace dev eth0 root tbf rate 100mbit burst 125000b latency 50ms';
  assert.equal(bucket('eth0', 100).join(' '), expected);
  assert.ok(bucket('eth0', 1).includes('32768b'), 'room for some packets');
  for (const bad of [0, -1, 1.5, Number.NaN, 1e9]) assert.throws(() => bucket('eth0', bad), RangeError);
  assert.throws(() => bucket('eth0 root', 1), RangeError);
});

test('a process without a link to the bridge is left alone', async () => {
  assert.equal(await limitBandwidth('no-such-bridge', process.pid, 1), false);
});
