// Project files of other hosts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHostConfig } from './host-config.ts';

test('a discloud.config', () => {
  const text = 'ID=ping\r\nNAME=Ping Bot\nTYPE=bot\nMAIN=./src/index.js\nRAM=100\nAUTORESTART=false\n# START=no\n';
  assert.deepEqual(readHostConfig('discloud.config', text), {
    file: 'discloud.config',
    name: 'Ping Bot',
    memoryMb: 128,
    main: 'src/index.js',
    command: null,
  });
});

test('a squarecloud.app', () => {
  const text = 'DISPLAY_NAME="Web"\nMAIN=main.py\nMEMORY=512\nVERSION=recommended\nSTART=python -u main.py --port=80';
  assert.deepEqual(readHostConfig('squarecloud.app', text), {
    file: 'squarecloud.app',
    name: 'Web',
    memoryMb: 512,
    main: 'main.py',
    command: 'python -u main.py --port=80',
  });
});

test('what is missing or nonsense is not said', () => {
  const nothing = { name: null, memoryMb: null, main: null, command: null };
  assert.deepEqual(readHostConfig('squarecloud.app', 'MEMORY=much\nMAIN=\n=x\n\0'), {
    file: 'squarecloud.app',
    ...nothing,
  });
});
