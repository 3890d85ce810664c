// Refusals of runtimes that an engine lacks, with the texts of old and new engines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuseMissingRuntime, refuseUnknownRuntime } from './oci-runtime.ts';

const refusal = { name: 'EngineError', code: 'refused', message: 'The engine has no container runtime "runsc"' };

test('only what the engine lists is known', () => {
  refuseUnknownRuntime({ runc: {}, runsc: { path: '/usr/bin/runsc' } }, 'runsc');
  assert.throws(() => refuseUnknownRuntime({ runc: {} }, 'runsc'), refusal);
  assert.throws(() => refuseUnknownRuntime({}, 'constructor'), { code: 'refused' });
});

test('a create that fails for its runtime says so; other answers pass', () => {
  for (const message of ['Unknown runtime specified runsc', 'unknown or invalid runtime name: runsc'])
    assert.throws(() => refuseMissingRuntime({ status: 400, body: { message } }, 'runsc'), refusal);
  refuseMissingRuntime({ status: 201, body: { Id: 'unknown runtime' } }, 'runsc');
  refuseMissingRuntime({ status: 400, body: { message: 'no such image' } }, 'runsc');
});
