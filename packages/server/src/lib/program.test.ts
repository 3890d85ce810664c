// Unit tests of running programs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProgramError, runProgram, startProgram } from './program.ts';

test('a program is given its words and variables as they are', async () => {
  const lines = await runProgram('printf', ['%s\n', '$HOME; a  b', '*'], {});
  assert.deepEqual(lines, ['$HOME; a  b', '*']);
  assert.deepEqual(await runProgram('printenv', ['GREETING'], { environment: { GREETING: 'a=b c' } }), ['a=b c']);
});

test('a failing program carries its code and the end of its errors', async () => {
  await assert.rejects(runProgram('sh', ['-c', 'seq 1 60 >&2; exit 3']), (error) => {
    assert.ok(error instanceof ProgramError);
    assert.equal(error.message, 'sh ended with code 3');
    assert.equal(error.missing, false);
    assert.equal(error.lines.at(-1), '60');
    assert.equal(error.lines.length, 40);
    return true;
  });
});

test('a missing program is told apart', async () => {
  await assert.rejects(runProgram('botel-no-such-program', []), { missing: true });
});

test('the signal ends the program', async () => {
  const controller = new AbortController();
  const program = startProgram('sleep', ['60'], { signal: controller.signal });
  controller.abort();
  await assert.rejects(program.ended, { name: 'AbortError' });
});
