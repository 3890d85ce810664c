// systemd units: the privileges of each process, and that systemd itself, where available, finds no
// fault.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { checkoutPath } from '../../core/lib/checkout.ts';
import { closedFolders, serviceRoles, serviceUnits } from './service-units.ts';

const places = { checkout: resolve(checkoutPath('.')), dataDirectory: '/var/lib/botel', stopSeconds: 60 };

/** Values by key; repeated keys are collected in order. */
function valuesOf(text: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [, key = '', value = ''] of text.matchAll(/^(\w+)=(.*)$/gm)) {
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}

function unit(name: string): Map<string, string[]> {
  const found = [...serviceUnits('single', places), ...serviceUnits('split', places)].find(
    (each) => each.name === name,
  );
  assert.ok(found);
  assert.doesNotMatch(found.text, /@[A-Z]+@/);
  return valuesOf(found.text);
}

describe('units', () => {
  test('of api and gateway: other users, no privileges, a system that can only be read', () => {
    for (const [role, user] of [
      ['api', 'botel'],
      ['gateway', 'botel-gateway'],
    ] as const) {
      const values = unit(`botel-${role}.service`);
      const wanted = { User: user, Group: 'botel', NoNewPrivileges: 'yes', CapabilityBoundingSet: '' };
      for (const [key, value] of Object.entries(wanted)) assert.deepEqual(values.get(key), [value], key);
      assert.deepEqual(values.get('ProtectSystem'), ['strict']);
      assert.deepEqual(values.get('ReadWritePaths'), ['/var/lib/botel']);
      assert.ok(values.get('ExecStart')?.[0]?.endsWith(`serve --role ${role}`));
    }
    const families = unit('botel-gateway.service').get('RestrictAddressFamilies');
    assert.deepEqual(
      families,
      ['AF_INET AF_INET6 AF_NETLINK'],
      'no socket of the machine, and the list of its bridges',
    );
  });

  test('of the others: always there again, and no mounts of their own', () => {
    for (const name of ['botel-agent.service', 'botel.service']) {
      const values = unit(name);
      assert.deepEqual(values.get('Restart'), ['always']);
      const hiding = [...values.keys()].filter((key) =>
        /^(Protect|Private|Read|Inaccessible|Bind|Temporary|Root)/.test(key),
      );
      assert.deepEqual(hiding, [], 'the engine would not see what the agent mounts');
    }
    const agent = unit('botel-agent.service');
    assert.deepEqual(agent.get('Environment'), ['BOTEL_DATA_DIR=/var/lib/botel', 'BOTEL_API_GROUP=botel']);
    assert.ok(!agent.get('CapabilityBoundingSet')?.join(' ').includes('CAP_SYS_PTRACE'));
  });

  test('never run both forms at once', () => {
    assert.deepEqual(unit('botel.service').get('Conflicts'), [
      'botel-api.service botel-agent.service botel-gateway.service',
    ]);
    for (const name of ['botel-agent.service', 'botel-api.service', 'botel-gateway.service'])
      assert.deepEqual(unit(name).get('Conflicts'), ['botel.service']);
  });

  test('systemd finds nothing wrong', { skip: !existsSync('/usr/bin/systemd-analyze') && 'no systemd here' }, () => {
    const directory = mkdtempSync(join(tmpdir(), 'botel-units-'));
    try {
      const paths = serviceRoles
        .flatMap((role) => serviceUnits(role, places))
        .map(({ name, text }) => {
          const path = join(directory, name);
          writeFileSync(path, text);
          return path;
        });
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--recursive-errors=no', ...new Set(paths)], {
        encoding: 'utf8',
      });
      const own = stderr.split('\n').filter((line) => line.includes('botel'));
      assert.deepEqual(own, []);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  test('of odd places are refused', () => {
    for (const checkout of ['/opt/my botel', '/opt/"botel"', '/opt/%n', '/opt/botel\nUser=root'])
      assert.throws(() => serviceUnits('single', { ...places, checkout }), /is not allowed in a systemd unit/);
  });
});

test('folders that others may not pass are named', () => {
  const directory = mkdtempSync(join(tmpdir(), 'botel-closed-'));
  try {
    mkdirSync(join(directory, 'open/inner'), { recursive: true });
    assert.deepEqual(closedFolders(join(directory, 'open/inner')), [directory]);
    chmodSync(directory, 0o711);
    assert.deepEqual(closedFolders(join(directory, 'open/inner/not-there')), []);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
