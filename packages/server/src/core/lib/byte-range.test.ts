// Ranges as defined by RFC 9110.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRange } from './byte-range.ts';

test('takes one range of bytes within the content', () => {
  for (const [header, start, length] of [
    ['bytes=0-0', 0, 1],
    ['bytes=2-4', 2, 3],
    ['bytes=2-', 2, 8],
    ['bytes=9-', 9, 1],
    ['bytes=2-99', 2, 8],
    ['bytes=-3', 7, 3],
    ['bytes=-99', 0, 10],
    ['Bytes= 1-1 ', 1, 1],
  ] as const)
    assert.deepEqual(parseRange(header, 10), { start, length }, header);
});

test('tells what begins after the end from what is not understood', () => {
  for (const header of ['bytes=10-', 'bytes=10-12', 'bytes=-0']) assert.equal(parseRange(header, 10), 'unsatisfiable');
  for (const header of ['bytes=0-', 'bytes=-5']) assert.equal(parseRange(header, 0), 'unsatisfiable', header);
  for (const header of ['', 'bytes=', 'bytes=-', 'bytes=4-2', 'bytes=0-1,3-4', 'lines=0-1', 'bytes=a-b', 'bytes=1'])
    assert.equal(parseRange(header, 10), null, header);
});
