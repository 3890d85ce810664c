// Findings about runtimes, their flags, vulnerable versions, and filters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holesOf, isDistributionBuild } from '../known-holes.ts';
import { registrationAdvice } from '../../setup/sandbox.ts';
import { judgeFilters, judgeFlags, judgeSandbox, judgeVersions } from './runtimes.ts';

for (const [component, version, count] of [
  ['runc', '1.1.11', 3],
  ['runc', '1.1.12', 2],
  ['runc', '1.1.5+ds1', 3],
  ['runc', '1.2.7', 2],
  ['runc', '1.2.8', 1],
  ['runc', '1.3.3', 1],
  ['runc', '1.3.6', 0],
  ['runc', '1.4.0-rc.2', 2],
  ['runc', '1.4.0-rc.3', 1],
  ['runc', '1.4.3', 0],
  ['runc', '1.5.0', 0],
  ['containerd', 'v1.7.28', 1],
  ['containerd', '1.7.29', 0],
  ['containerd', '2.2.0', 0],
  ['Engine', '20.10.24+dfsg1', 2],
  ['Engine', '25.0.13', 0],
  ['Engine', '29.1.0', 0],
  ['docker-init', '0.19.0', 0],
  ['runc', 'unknown', 0],
] as const)
  test(`${component} ${version} has ${count} known holes`, () => {
    assert.equal(holesOf(component, version).length, count);
  });

test('packages of distributions are told from releases', () => {
  for (const version of [
    '1.1.5+ds1',
    '1.1.5+ds1-1+deb12u1',
    '20.10.24+dfsg1',
    '1.1.12-0ubuntu2~22.04.1',
    '1.2.0-1.el9',
  ])
    assert.equal(isDistributionBuild(version), true, version);
  for (const version of ['1.2.8', 'v2.0.7', '1.4.0-rc.3', '27.1.1', 'v1.2.8-0-g3a2f5d1'])
    assert.equal(isDistributionBuild(version), false, version);
});

test("a release with a hole must be updated; a distribution's package is to be checked", () => {
  const [release] = judgeVersions([{ Name: 'runc', Version: '1.1.11' }]);
  assert.equal(release?.state, 'fix');
  const details = { GitCommit: '1.1.5+ds1-1+deb12u1' };
  const [debian] = judgeVersions([{ Name: 'runc', Version: '1.1.5+ds1', Details: details }]);
  assert.equal(debian?.state, 'warn');
  assert.match(debian?.text ?? '', /1\.1\.5\+ds1/);
  assert.deepEqual(
    judgeVersions([{ Name: 'runc', Version: '1.4.3' }]).map(({ state }) => state),
    ['ok'],
  );
});

for (const args of [
  ['--ignore-cgroups'],
  ['-ignore-cgroups=true'],
  ['--platform=ptrace', '--network=host'],
  ['--network', 'host'],
  ['--host-uds=all'],
  ['--TESTONLY-unsafe-nonroot'],
])
  test(`${args.join(' ')} takes the walls down`, () => {
    const known = { runc: {}, runsc: { path: '/usr/bin/runsc', runtimeArgs: args } };
    const states = (chosen: string) => judgeFlags(known, chosen).map(({ state }) => state);
    assert.deepEqual(states('runsc'), ['fix']);
    assert.deepEqual(states('runc'), ['warn']);
  });

test('safe flags are fine', () => {
  const args = ['--platform=ptrace', '--network=none', '--ignore-cgroups=false', '--host-uds=none'];
  assert.deepEqual(judgeFlags({ runsc: { runtimeArgs: args }, runc: { runtimeArgs: null } }, 'runsc'), []);
});

test('a sandbox that is too old for the kernel', () => {
  const old = 'runsc version 0.0~20221219.0';
  const states = (version: string, kernel: string, flags: string[]) =>
    judgeSandbox('runsc', version, { kernel, flags }).map(({ state }) => state);
  assert.deepEqual(states(old, '6.18.44', ['--platform=ptrace']), ['fix']);
  assert.deepEqual(states(old, '6.18.44', ['--network=none']), ['warn']);
  assert.deepEqual(states(old, '6.10.9', []), []);
  assert.deepEqual(states('runsc version release-20250901.0', '6.18.44', []), []);
});

test('the filters of the kernel, and who remaps users', () => {
  const states = (options: string[]) => judgeFilters(options).map(({ state }) => state);
  assert.deepEqual(states(['name=seccomp,profile=default']), ['ok']);
  assert.deepEqual(states(['name=seccomp,profile=unconfined']), ['fix']);
  assert.deepEqual(states(['name=apparmor']), ['fix']);
  assert.deepEqual(states(['name=seccomp,profile=builtin', 'name=userns']), ['ok', 'fix']);
  assert.deepEqual(states(['name=seccomp,profile=builtin', 'name=rootless']), ['ok', 'fix']);
});

test('the advice is what the settings of the engine need', () => {
  const advice = registrationAdvice({ path: '/usr/bin/runsc', runtimeArgs: ['--platform=ptrace'] });
  assert.match(
    advice,
    /\{"runtimes":\{"runsc":\{"path":"\/usr\/bin\/runsc","runtimeArgs":\["--platform=ptrace"\]\}\}\}/,
  );
  assert.match(registrationAdvice(null), /^Install the package runsc/);
});
