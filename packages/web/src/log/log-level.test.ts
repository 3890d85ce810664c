// The levels that loggers of the five languages write, and words that are none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { levelOf } from './log-level.ts';

test('declared levels', () => {
  const lines: [string, string][] = [
    ['{"level":50,"msg":"x"}', 'error'],
    ['{"level":"warn","msg":"x"}', 'warn'],
    ['{"severity":"INFO"}', 'info'],
    ['ts=2026-01-31 level=error msg="no"', 'error'],
    ['time=12 lvl=dbug', ''],
    ['lvl=debug a=b', 'debug'],
    ['[ERROR] it broke', 'error'],
    ['[warn] careful', 'warn'],
    ['12:00:01 [INFO] ready', 'info'],
    ['[2026-01-31T12:00:00Z ERROR bot::main] no token', 'error'],
    ['ERROR:discord.client:Privileged intents', 'error'],
    ['2026-01-31 12:00:00,123 WARNING discord.gateway: slow', 'warn'],
    ['2026-01-31 12:00:00.123 [main] ERROR com.example.Bot - no', 'error'],
    ['[main] INFO net.dv8tion.jda.api.JDA - Login Successful', 'info'],
    ['\x1b[2m2026-01-31T12:00:00.0Z\x1b[0m \x1b[33m WARN\x1b[0m \x1b[2mbot\x1b[0m: x', 'warn'],
    ['\x1b[31m[FATAL]\x1b[0m x', 'error'],
  ];
  for (const [line, level] of lines) assert.equal(levelOf(line) ?? '', level, line);
});

test('what only speaks of errors declares none', () => {
  for (const line of [
    'an error occurred',
    'Error: no token',
    'no errors, 3 warnings',
    'INFORMATION',
    '[object Object]',
    '{"level":',
    '{"level":null}',
    '[]',
    '',
    'constructor: x',
    '[constructor]',
  ])
    assert.equal(levelOf(line), null, line);
});
