// Running programs.
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

test('the signal ends the program and its children', async () => {
  const controller = new AbortController();
  const program = startProgram('sh', ['-c', 'echo up; sleep 60; echo never'], { signal: controller.signal });
  const reason = new Error('enough');
  program.stdout.once('data', () => controller.abort(reason));
  await assert.rejects(program.ended, reason);
  await assert.rejects(runProgram('sleep', ['60'], { signal: controller.signal }), reason);
});

test('a program that signals its whole group does not reach this one', async () => {
  await assert.rejects(runProgram('sh', ['-c', 'kill -HUP 0']), /ended with SIGHUP/);
});
