// Guesses of language and command, and names of bots.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { botName, detect, nameFault } from './detect.ts';
import type { HostConfig } from './host-config.ts';

describe('a guess', () => {
  const cases: [string[], string | null, string | null][] = [
    [['package.json', 'index.js'], '{"scripts":{"start":"node ."}}', 'nodejs: npm start'],
    [['package.json', 'src/bot.js'], '{"main":"src/bot.js"}', 'nodejs: node src/bot.js'],
    [['package.json', 'bot.js'], 'no json', 'nodejs: node bot.js'],
    [['main.py', 'requirements.txt'], null, 'python: python main.py'],
    [['my_bot.py', 'requirements.txt'], null, 'python: python my_bot.py'],
    [['go.mod', 'main.go'], null, 'go: go run .'],
    [['Cargo.toml', 'src/main.rs'], null, 'rust: cargo run --release'],
    [['bot.jar'], null, 'java: java -jar bot.jar'],
    [['Bot.java'], null, 'java: java Bot.java'],
    [['lone.js'], null, 'nodejs: node lone.js'],
    [['README.md', 'src/deep.py'], null, null],
  ];
  for (const [paths, packageJson, wanted] of cases)
    test(`of ${paths.join(', ')} is ${wanted}`, () => {
      const guess = detect(paths, packageJson);
      assert.equal(guess && `${guess.language}: ${guess.command}`, wanted);
    });
});

test('a guess says why', () => {
  const why = (packageJson: string, config: HostConfig | null = null) =>
    detect(['package.json', 'index.js', 'src/bot.py'], packageJson, config);
  const config = { file: 'discloud.config', name: null, memoryMb: null, main: 'src/bot.py', command: null };
  assert.deepEqual([why('{"scripts":{"start":"x"}}')?.why, why('{"main":"x.js"}')?.why], ['script', 'main']);
  assert.deepEqual([why('')?.why, why('')?.because], ['file', 'index.js']);
  const fromConfig = { language: 'python', command: 'python src/bot.py', because: 'discloud.config', why: 'config' };
  assert.deepEqual(why('', config), fromConfig);
  assert.equal(why('', { ...config, main: 'gone.py' })?.command, 'node index.js');
  assert.equal(why('', { ...config, main: null, command: 'node --x .' })?.command, 'node --x .');
});

test('a name is made of what may be in one', () => {
  assert.equal(botName('My bot (2).zip'), 'My-bot-2');
  assert.equal(botName('../..'), null);
  assert.equal(nameFault('ok_Name-1'), null);
  assert.equal(nameFault('no name'), 'characters');
  assert.equal(nameFault(''), 'length');
});
