// Reading control groups and network counters, on recorded file trees.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { ControlGroups } from './cgroup.ts';

const directory = await mkdtemp(join(tmpdir(), 'botel-cgroup-'));
after(() => rm(directory, { recursive: true, force: true }));

const id = 'a'.repeat(64);
const slice = `system.slice/docker-${id}.scope`;
let trees = 0;

/** Writes a tree of files, in which `proc/…` is the kernel's process information. */
async function groups(files: Record<string, string>): Promise<ControlGroups> {
  const root = join(directory, String(++trees));
  await mkdir(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return new ControlGroups(root, join(root, 'proc'));
}

for (const [name, path] of [
  ['version 1, cgroupfs', `memory/docker/${id}/memory.max_usage_in_bytes`],
  ['version 1, systemd', `memory/${slice}/memory.max_usage_in_bytes`],
  ['version 2, cgroupfs', `docker/${id}/memory.peak`],
  ['version 2, systemd', `${slice}/memory.peak`],
] as const) {
  test(`peak: ${name}`, async () => {
    assert.equal(await (await groups({ [path]: '20123648\n' })).memoryPeakBytes(id), 20_123_648);
  });
}

test('peak: a kernel that does not count it, and a container that is gone', async () => {
  const tree = await groups({ [`${slice}/memory.current`]: '1\n' });
  assert.equal(await tree.memoryPeakBytes(id), null);
  assert.equal(await tree.memoryPeakBytes('b'.repeat(64)), null);
});

test('peak: what is no number is unknown', async () => {
  assert.equal(await (await groups({ [`docker/${id}/memory.peak`]: 'max\n' })).memoryPeakBytes(id), null);
});

const network = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     500       5    0    0    0     0          0         0      500       5    0    0    0     0       0          0
  eth0: 1234567     890    0    0    0     0          0         0  7654321     980    0    0    0     0       0          0
  eth1:10       1    0    0    0     0          0         0  20     1    0    0    0     0       0          0
`;

function version2(group: string): Record<string, string> {
  return {
    [`${group}/cpu.stat`]: 'usage_usec 4321000\nuser_usec 4000000\nsystem_usec 321000\n',
    [`${group}/memory.current`]: '52428800\n',
    [`${group}/memory.stat`]: 'anon 40000000\nfile 12000000\ninactive_anon 7\ninactive_file 2097152\nactive_file 1\n',
    [`${group}/memory.peak`]: '60000000\n',
    [`${group}/pids.current`]: '11\n',
    [`${group}/cgroup.procs`]: '4242\n4250\n',
    'proc/4242/net/dev': network,
  };
}

function version1(group: string): Record<string, string> {
  return {
    [`cpuacct/${group}/cpuacct.usage`]: '4321000999\n',
    [`memory/${group}/memory.usage_in_bytes`]: '52428800\n',
    [`memory/${group}/memory.stat`]: 'cache 1\ninactive_file 9\ntotal_cache 5\ntotal_inactive_file 2097152\n',
    [`memory/${group}/memory.max_usage_in_bytes`]: '60000000\n',
    [`memory/${group}/cgroup.procs`]: '4242\n4250\n',
    [`pids/${group}/pids.current`]: '11\n',
    'proc/4242/net/dev': network,
  };
}

const whole = {
  cpuMicros: 4_321_000,
  memoryBytes: 50_331_648,
  memoryPeakBytes: 60_000_000,
  pids: 11,
  netRxBytes: 1_234_577,
  netTxBytes: 7_654_341,
};

for (const [name, files] of [
  ['version 1, cgroupfs', version1(`docker/${id}`)],
  ['version 1, systemd', version1(slice)],
  ['version 2, cgroupfs', version2(`docker/${id}`)],
  ['version 2, systemd', version2(slice)],
] as const) {
  test(`usage: ${name}`, async () => {
    const tree = await groups(files);
    assert.deepEqual(await tree.usage(id), whole);
    assert.equal(await tree.usage('b'.repeat(64)), null, 'a container that is gone');
    assert.deepEqual(await tree.usage(id), whole);
  });
}

test('usage: what the kernel does not tell is unknown, not 0', async () => {
  const { [`${slice}/memory.peak`]: _peak, 'proc/4242/net/dev': _network, ...rest } = version2(slice);
  const unknown = { memoryPeakBytes: null, netRxBytes: null, netTxBytes: null };
  assert.deepEqual(await (await groups(rest)).usage(id), { ...whole, ...unknown });
});

test('usage: an ended container has no processor time, or no process', async () => {
  const { [`${slice}/cpu.stat`]: _cpu, ...rest } = version2(slice);
  assert.equal(await (await groups(rest)).usage(id), null);
  const empty = await groups({ ...version2(slice), [`${slice}/cgroup.procs`]: '' });
  assert.deepEqual(await empty.usage(id), { ...whole, netRxBytes: null, netTxBytes: null });
});
