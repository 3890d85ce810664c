// Output of real programs, and the hint derived from it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type ExitReason, type Language, languages } from '@botel/contract/vocabulary';
import type { Exit } from './bot.ts';
import { exitHint, hintSentence, placeholders } from './exit-hints.ts';
import { type HintValues, hintTexts } from './exit-hint-texts.ts';

function exit(change: Partial<Exit> = {}): Exit {
  const end = { at: 0, run: 1, code: 1, signal: null, oom: false, reason: 'crashed' as const, message: '' };
  return { ...end, lastLines: [], uptimeSeconds: 1, memoryPeakMb: null, ...change };
}

function hintOf(language: Language, text: string, change: Partial<Exit> = {}) {
  return exitHint(exit(change), text.split('\n'), { language, memoryMb: 256 });
}

interface Sample {
  name: string;
  language: Language;
  exitCode: number;
  hint: { code: string; values: HintValues };
  text: string;
}

/**
 * Outputs of real programs, each below a line `=== name | language | exit code | hint | values`.
 */
const samples = readFileSync(new URL('./exit-hints-samples.txt', import.meta.url), 'utf8')
  .split(/^=== /m)
  .slice(1)
  .map((sample): Sample => {
    const [head = '', ...lines] = sample.trimEnd().split('\n');
    const [name = '', language = '', exitCode, code = '', values = ''] = head.split(' | ');
    const hint = { code, values: JSON.parse(values) as HintValues };
    return { name, language: language as Language, exitCode: Number(exitCode), hint, text: lines.join('\n') };
  });

describe('what programs say', () => {
  for (const { name, language, exitCode, hint, text } of samples)
    test(`${name} → ${hint.code}`, () => {
      assert.deepEqual(hintOf(language, text, { code: exitCode }), hint);
    });
});

describe('which hint', () => {
  const conflict = 'terminated by other getUpdates request';

  test('the engine knows best', () => {
    const memory = { code: 'oom', values: { memory_mb: 256 } };
    assert.deepEqual(hintOf('nodejs', conflict, { oom: true, reason: 'oom', code: 137 }), memory);
  });

  test('what was said last counts', () => {
    const said = "Error: Cannot find module 'a'\nError: Cannot find module 'b'";
    assert.deepEqual(hintOf('nodejs', `${conflict}\n${said}`)?.values, { module: 'b' });
  });

  test('an end without an error says so; one with a known last word says that', () => {
    assert.equal(hintOf('nodejs', 'done', { reason: 'exited', code: 0 })?.code, 'finished');
    assert.equal(hintOf('nodejs', 'Used disallowed intents', { reason: 'exited', code: 0 })?.code, 'discord_intents');
  });

  test('none where somebody or something else ended the run', () => {
    for (const reason of ['stopped', 'killed', 'interrupted', 'vanished'] satisfies ExitReason[])
      assert.equal(hintOf('nodejs', conflict, { reason }), null);
  });

  test('none where nothing is known', () => {
    for (const language of languages)
      for (const text of [
        '',
        'Error: boom\n    at f (/home/bot/index.js:1:1)',
        'Traceback (most recent call last):\nValueError: 7',
      ])
        assert.equal(hintOf(language, text), null);
  });

  test("the engine's text counts where a run did not start", () => {
    const message = 'exec: "nodes": executable file not found in $PATH: unknown';
    const hint = exitHint(exit({ reason: 'start_failed', code: null, message }), [], {
      language: 'nodejs',
      memoryMb: 1,
    });
    assert.deepEqual(hint, { code: 'not_found', values: { command: 'nodes' } });
  });

  test('a text of one language means nothing in another', () => {
    assert.equal(hintOf('python', "Error: Cannot find module 'x'"), null);
    assert.equal(hintOf('nodejs', './x: No such file or directory', { code: 1 }), null);
  });

  test('colours do not hide it', () => {
    assert.equal(hintOf('nodejs', "\u001b[31mError: Cannot find module 'x'\u001b[39m")?.code, 'module_node');
  });
});

describe('values', () => {
  test('are never what looks like a secret; the hint does without', () => {
    for (const secret of [
      'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs',
      '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw',
      'sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c',
    ])
      for (const text of [`${secret}: command not found`, `exec ${secret} failed: No such file or directory`]) {
        const hint = hintOf('nodejs', text, { code: 127 });
        assert.equal(hint?.code, 'not_found');
        assert.ok(!JSON.stringify(hint).includes(secret.slice(-20)), JSON.stringify(hint));
        assert.match(hintSentence(hint), /^The command was not found/);
      }
  });

  test('are short, whatever a program writes', () => {
    for (const long of ['a'.repeat(16_384), 'a.'.repeat(8000), '/'.repeat(9000), ' '.repeat(9000), ':'.repeat(9000)]) {
      const lines = [
        `Cannot find module '${long}'`,
        `${long}: command not found`,
        `EADDRINUSE: address already in use ${long}:1`,
      ];
      for (const language of languages)
        for (const line of lines) {
          const hint = hintOf(language, line, { code: 127 });
          for (const value of Object.values(hint?.values ?? {})) assert.ok(String(value).length <= 100);
        }
    }
  });
});

describe('sentences', () => {
  test('put the values in', () => {
    assert.match(
      hintSentence({ code: 'module_node', values: { module: 'discord.js' } }),
      /^The package "discord\.js" is/,
    );
    assert.match(hintSentence({ code: 'module_node', values: {} }), /^A package is not installed/);
    assert.match(hintSentence({ code: 'port_used', values: { port: 80 } }), /^Port 80 is already in use/);
  });

  test('are one line, and every hint of this test has one without a hole', () => {
    for (const { language, text, exitCode } of samples) {
      const hint = hintOf(language, text, { code: exitCode });
      assert.match(hint ? hintSentence(hint) : '', /^["A-Z][^<>\n]{20,150}$/);
    }
  });

  test('the last one of a code needs no value that can be missing', () => {
    const sure = ['memory_mb', 'pids_limit', 'java_version', 'runtime_version'];
    for (const [code, texts] of Object.entries(hintTexts))
      for (const name of placeholders(texts.at(-1) ?? '')) assert.ok(sure.includes(name), `${code}: ${name}`);
  });

  test('every code has a sample, but those that no output tells', () => {
    const told = new Set(samples.map(({ hint }) => hint.code));
    assert.deepEqual(
      Object.keys(hintTexts).filter((code) => !told.has(code)),
      ['oom', 'finished'],
    );
  });
});
