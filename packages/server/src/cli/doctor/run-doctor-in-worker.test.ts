// With an engine that accepts calls and never answers, the doctor ends in time and reports what it
// could not find out.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../core/config/config.ts';
import { examine } from './examine.ts';
import { runDoctorInWorker } from './run-doctor-in-worker.ts';

test('what does not end is not waited for, and none of it stays', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'botel-doctor-'));
  const open: Socket[] = [];
  const silent = createServer((socket) => void open.push(socket)).listen(join(directory, 'engine.sock'));
  await once(silent, 'listening');
  t.after(() => {
    for (const socket of open) socket.destroy();
    silent.close();
    rmSync(directory, { recursive: true });
  });
  const settings = { BOTEL_DATA_DIR: directory, DOCKER_HOST: `unix://${join(directory, 'engine.sock')}` };
  const { findings, ended } = runDoctorInWorker(loadConfig(settings, directory), 1_500);
  const said = (await findings).map(({ check, state, text }) => `${state} ${check}: ${text}`);
  assert.ok(said.includes('warn engine: not known: it takes longer than 1.5 s'), said.join('\n'));
  assert.ok(said.includes('warn clock: not known: it takes longer than 1.5 s'));
  await ended;
});

test('a check that breaks is a finding, and the others go on', async () => {
  const config = { ...loadConfig({ BOTEL_ENGINE: 'fake' }, tmpdir()), publicUrl: 'no address' };
  const found: string[] = [];
  await examine(config, (findings) => found.push(...findings.map(({ check, state }) => `${state} ${check}`)));
  assert.ok(found.includes('fix tls') && found.some((each) => each.endsWith(' clock')), found.join('\n'));
});
