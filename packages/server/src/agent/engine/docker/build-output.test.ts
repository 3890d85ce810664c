// What remains of a build's output, recorded from an engine 20.10.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BuildOutput } from './build-output.ts';

function outputOf(pieces: string[]): BuildOutput {
  const output = new BuildOutput();
  for (const piece of pieces) output.add(piece);
  return output;
}

test('what the program said, in whole lines, and the code that it ended with', () => {
  const pieces = [
    ' ---> Running in 38e3a951bf05\n',
    'Removing intermediate container 38e3a951bf05\n',
    ' ---> f8e8855f8b9a\n',
    'Step 4/6 : RUN apt-get -qq install -y ${PACKAGES}',
    '\n',
    ' ---> Running in 304cba874617\n',
    '\u001b[91mE:\u001b[0m',
    '\u001b[91m Unable to locate package no-such-package\n\u001b[0m',
    'Removing intermediate container 304cba874617\n',
  ];
  const error = "The command '/bin/sh -c apt-get -qq\n install -y ${PACKAGES}' returned a non-zero code: 100";
  assert.equal(
    outputOf(pieces).endWith(error),
    'E: Unable to locate package no-such-package\nA step of its build ended with code 100',
  );
  assert.equal(outputOf([]).endWith('no space left on device'), 'no space left on device');
});

test('endless output keeps its end', () => {
  const pieces = Array.from({ length: 5000 }, (_, number) => `line ${number}\n`);
  const lines = outputOf(pieces).endWith('x').split('\n');
  assert.deepEqual([lines.length, lines[0], lines.at(-2)], [9, 'line 4992', 'line 4999']);
});
