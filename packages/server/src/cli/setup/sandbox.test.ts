// Registration of the sandbox as a runtime: its flags, and that only Botel's own settings are
// changed, with a stub process in the engine's place.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { daemonSettings, isOwnSettings } from './daemon-settings.ts';
import { registerSandbox } from './register-sandbox.ts';
import { sandboxFlags } from './sandbox.ts';

const directory = await mkdtemp(join(tmpdir(), 'botel-sandbox-'));
after(() => rm(directory, { recursive: true, force: true }));

const entry = { path: '/usr/bin/runsc', runtimeArgs: ['--platform=ptrace'] };

test('flags: never those that open the walls; no network where this release has none', () => {
  const debian = 'runsc version 0.0~20221219.0\nspec: 1.0.2-dev';
  assert.deepEqual(sandboxFlags(debian, '6.1.0-40-amd64'), ['--platform=ptrace']);
  assert.deepEqual(sandboxFlags(debian, '6.12.3'), ['--platform=ptrace', '--network=none']);
  assert.deepEqual(sandboxFlags('runsc version release-20250901.0', '7.0.1'), ['--platform=ptrace']);
});

test("only settings as Botel writes them are Botel's", () => {
  assert.ok(isOwnSettings(daemonSettings()));
  assert.ok(isOwnSettings(daemonSettings({ runsc: entry })));
  for (const text of ['', '{}', 'null', '[]', '{"live-restore": true}', `${daemonSettings()} `, 'no json'])
    assert.equal(isOwnSettings(text), false, text);
});

function placesOf(name: string) {
  const file = (suffix: string) => join(directory, `${name}.${suffix}`);
  return { settingsFile: file('json'), pidFile: file('pid'), engineName: 'cat', find: async () => entry };
}

test('foreign settings stay as they are, and the operator is told what to add', async () => {
  const places = placesOf('foreign');
  await writeFile(places.settingsFile, '{"debug":true}');
  const isKnown = async () => false;
  await assert.rejects(registerSandbox({ isKnown, progress: () => {}, places }), /Add \{"runtimes".*SIGHUP/);
  assert.equal(await readFile(places.settingsFile, 'utf8'), '{"debug":true}');
});

test('an engine that knows it is left alone', async () => {
  const places = { ...placesOf('known'), find: () => Promise.reject(new Error('not looked for')) };
  await registerSandbox({ isKnown: async () => true, progress: () => {}, places });
});

test('own settings get it, and the engine is told by SIGHUP', async () => {
  const places = placesOf('own');
  await writeFile(places.settingsFile, daemonSettings());
  // It has no handler, so the signal ends it, which the test observes.
  const engine = spawn('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(engine, 'spawn');
  await writeFile(places.pidFile, String(engine.pid));
  const ended = once(engine, 'exit');
  await registerSandbox({ isKnown: async () => engine.signalCode !== null, progress: () => {}, places });
  assert.deepEqual(await ended, [null, 'SIGHUP']);
  assert.equal(await readFile(places.settingsFile, 'utf8'), daemonSettings({ runsc: entry }));
});

test('a process id of somebody else gets no signal', async () => {
  const places = placesOf('stranger');
  await writeFile(places.settingsFile, daemonSettings());
  await writeFile(places.pidFile, String(process.pid));
  await assert.rejects(
    registerSandbox({ isKnown: async () => false, progress: () => {}, places }),
    /Cannot find the Docker engine's process/,
  );
});
