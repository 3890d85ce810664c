// Reading JSON lines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLines } from './json-lines.ts';

async function read(chunks: string[], maxLineBytes?: number): Promise<unknown[]> {
  async function* source() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  const values: unknown[] = [];
  for await (const value of jsonLines(source(), maxLineBytes)) values.push(value);
  return values;
}

test('values are found wherever the chunks are cut', async () => {
  assert.deepEqual(await read(['{"a"', ':1}\n{"b":2}\r\n\n', '3', '\n4']), [{ a: 1 }, { b: 2 }, 3, 4]);
});

test('a long line is refused, finished or not', async () => {
  await assert.rejects(read(['"12345678"\n'], 5), /more than 5 bytes/);
  await assert.rejects(read(['"123', '45678'], 5), /more than 5 bytes/);
});

test('what is no JSON is refused', async () => {
  await assert.rejects(read(['oops\n']), { code: 'unavailable' });
});
