// Commands that run without a shell, and that they split into words as in a POSIX shell.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argvOf, simpleWords } from './launch.ts';

test('interpreters run directly', () => {
  assert.deepEqual(argvOf('node index.js'), ['node', 'index.js']);
  assert.deepEqual(argvOf('  python3 -u "my bot.py" --name \'a b\'  '), [
    'python3',
    '-u',
    'my bot.py',
    '--name',
    'a b',
  ]);
  assert.deepEqual(argvOf('java -jar bot.jar'), ['java', '-jar', 'bot.jar']);
});

test('other simple commands go to the launcher as words', () => {
  assert.deepEqual(argvOf('npm start'), ['/botel/launch', 'exec', 'npm', 'start']);
  assert.deepEqual(argvOf('./bot --x'), ['/botel/launch', 'exec', './bot', '--x']);
});

test('what needs a shell goes to the launcher whole', () => {
  const commands = [
    'a && b',
    'a; b',
    'a | b',
    'a > f',
    'echo $HOME',
    'echo `x`',
    'A=1 node x',
    'node *.js',
    'node "$X"',
    'node ~/x',
    'a\nb',
    'a &',
    '(a)',
    'node x # y',
    "node 'open",
  ];
  for (const command of commands) assert.deepEqual(argvOf(command), ['/botel/launch', 'keep', command], command);
});

test('quotes join words and escapes are taken off', () => {
  assert.deepEqual(simpleWords(`node a"b c"'d e'\\ f ""`), ['node', 'ab cd e f', '']);
  assert.deepEqual(simpleWords('node --opt=1 a=b'), ['node', '--opt=1', 'a=b']);
  assert.equal(simpleWords('   '), null);
  assert.equal(simpleWords('node a\\'), null);
});
