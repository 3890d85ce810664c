// First match wins: requested stops, start failures, memory, interruptions, then the exit code.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type EndedRun, exitOf, keptLines, signalOf, withoutHostPaths } from './exit.ts';

const base: EndedRun = {
  run: 3,
  started: true,
  exitCode: 0,
  oomKilled: false,
  error: '',
  startedAt: 0,
  finishedAt: 60_000,
  stop: { asked: false, killed: false },
  cut: null,
  interrupted: false,
  isBuild: false,
  overtime: false,
  memoryMb: 256,
  memoryPeakMb: 40,
  lastLines: ['first', 'last'],
};

function reason(change: Partial<EndedRun>) {
  return exitOf({ ...base, ...change }).reason;
}

test('reasons', () => {
  assert.equal(reason({}), 'exited');
  assert.equal(reason({ exitCode: 1 }), 'crashed');
  assert.equal(reason({ exitCode: 137 }), 'crashed');
  assert.equal(reason({ exitCode: 137, oomKilled: true }), 'oom');
  assert.equal(reason({ exitCode: 0, oomKilled: true }), 'oom');
  assert.equal(reason({ exitCode: 143, stop: { asked: true, killed: false } }), 'stopped');
  assert.equal(reason({ exitCode: 137, stop: { asked: true, killed: true } }), 'killed');
  assert.equal(reason({ exitCode: 137, interrupted: true }), 'interrupted');
  assert.equal(reason({ exitCode: 143, cut: 'disk_full' }), 'disk_full');
  assert.equal(reason({ exitCode: 137, isBuild: true, cut: 'disk_full' }), 'disk_full');
  assert.equal(reason({ exitCode: 143, cut: 'flood' }), 'crashed');
  assert.equal(reason({ exitCode: 137, isBuild: true, cut: 'flood' }), 'build_failed');
  assert.equal(
    exitOf({ ...base, exitCode: 143, cut: 'flood' }).message,
    'Stopped: it wrote more than 10 MB/s of output',
  );
  assert.equal(reason({ exitCode: 143, cut: 'disk_full', stop: { asked: true, killed: false } }), 'stopped');
  assert.equal(reason({ started: false, exitCode: 127, error: 'exec failed' }), 'start_failed');
});

test('a build fails, whatever its code', () => {
  assert.equal(reason({ isBuild: true, exitCode: 127, finishedAt: 10 }), 'build_failed');
  assert.equal(reason({ isBuild: true, exitCode: 137, oomKilled: true }), 'build_failed');
  assert.equal(reason({ isBuild: true, exitCode: 137, interrupted: true }), 'interrupted');
});

test('127 and 126 are a start failure only in the first five seconds', () => {
  assert.equal(reason({ exitCode: 127, finishedAt: 4_999 }), 'start_failed');
  assert.equal(reason({ exitCode: 126, finishedAt: 4_999 }), 'start_failed');
  assert.equal(reason({ exitCode: 127, finishedAt: 5_000 }), 'crashed');
});

test('the record carries code, signal, uptime, peak and a sentence', () => {
  const crash = exitOf({ ...base, exitCode: 139 });
  assert.deepEqual(
    [crash.code, crash.signal, crash.uptimeSeconds, crash.memoryPeakMb, crash.message],
    [139, 'SIGSEGV', 60, 40, 'Ended by SIGSEGV'],
  );
  assert.equal(exitOf({ ...base, exitCode: 3 }).message, 'Exited with code 3');
  const oom = exitOf({ ...base, exitCode: 137, oomKilled: true });
  assert.equal(oom.memoryPeakMb, 256);
  assert.equal(oom.message, 'Out of memory: a process was killed at the limit of 256 MB');
  assert.equal(exitOf({ ...base, exitCode: 127, finishedAt: 10 }).message, 'last');
});

test('signals', () => {
  assert.equal(signalOf(137), 'SIGKILL');
  assert.equal(signalOf(1), null);
  assert.equal(signalOf(null), null);
});

test('host paths do not reach owners', () => {
  const text =
    'OCI runtime create failed: error mounting "/var/lib/botel/data/homes/abc" to rootfs at "/home/bot": exec: "nodee": not found';
  const shown = withoutHostPaths(text);
  assert.ok(!shown.includes('/var/lib'), shown);
  assert.ok(shown.includes('"/home/bot"'), shown);
});

describe('last lines', () => {
  const stored = (lines: string[]) => Buffer.byteLength(JSON.stringify(lines));

  test('short ones are kept as they are, the newest twenty', () => {
    assert.deepEqual(keptLines([]), []);
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    assert.deepEqual(keptLines(lines), lines.slice(10));
  });

  test('long ones are cut with a mark, whatever they consist of', () => {
    for (const character of ['x', 'é', '😀', '\0', '"', '\\', '\u{d800}']) {
      const [line = ''] = keptLines([character.repeat(65_536)]);
      assert.ok(stored([line]) <= 4096 + 4, `${stored([line])} bytes of ${JSON.stringify(character)}`);
      assert.ok(stored([line]) > 4000);
      assert.match(line, / … \[cut\]$/);
      const all = keptLines(Array(200).fill(character.repeat(65_536)));
      assert.ok(stored(all) <= 17_000, `${stored(all)} bytes of ${JSON.stringify(character)}`);
      assert.ok(all.length >= 3);
    }
  });

  test('one that becomes the message is short', () => {
    const { message } = exitOf({ ...base, exitCode: 127, finishedAt: 10, lastLines: ['x'.repeat(65_536)] });
    assert.ok(message.length <= 500, `${message.length} characters`);
    assert.match(message, /^xxx.* … \[cut\]$/);
  });
});
