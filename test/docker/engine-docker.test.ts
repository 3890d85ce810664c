// The engine contract on the real Docker engine, and what only the real one can show: the hardening
// as a program inside sees it, the network, several installs on one machine.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { containerName } from '../../packages/server/src/core/domain/bot.ts';
import { DockerClient } from '../../packages/server/src/agent/engine/docker/client.ts';
import { DockerEngine } from '../../packages/server/src/agent/engine/docker/docker-engine.ts';
import type { ContainerSpec } from '../../packages/server/src/agent/engine/engine.ts';
import { describeEngine } from '../../packages/server/test/engine-contract/engine-contract.ts';
import { until } from '../../packages/server/test/support/until.ts';
import { Ground, host, noImages, openDocker } from './engine-fixture.ts';

describeEngine('docker', openDocker);

describe('docker engine', () => {
  const fixture = new Ground();
  const engine = fixture.engine();
  before(() => fixture.prepare());
  after(async () => {
    await engine.close();
    await fixture.clear();
  });

  function specOf(botId: string, script: string, changes: Partial<ContainerSpec> = {}): ContainerSpec {
    return {
      name: containerName(botId),
      botId,
      generation: 1,
      run: 1,
      imageId: fixture.imageId,
      uid: 100_778,
      argv: ['/bin/sh', '-c', script],
      environment: ['PATH=/bin', 'ODD=a "b" $c \n d'],
      workingDirectory: '/tmp',
      memoryBytes: 32 * 1024 * 1024,
      cpuPeriodMicros: 100_000,
      cpuQuotaMicros: 50_000,
      pidsLimit: 64,
      openFilesLimit: 1024,
      tmpBytes: 1024 * 1024,
      shmBytes: 1024 * 1024,
      mounts: [],
      stopSignal: 'SIGTERM',
      stopGraceSeconds: 1,
      network: 'internet',
      runtime: null,
      stdin: false,
      ...changes,
    };
  }

  /** Output lines of a container that runs `script` to its end. */
  async function outputOf(script: string, changes: Partial<ContainerSpec> = {}): Promise<string[]> {
    const botId = randomUUID();
    await engine.create(specOf(botId, script, changes));
    const containerId = (await engine.inspect(botId))?.containerId ?? '';
    await engine.start(containerId);
    await until(async () => (await engine.inspect(botId))?.state === 'exited');
    const text = await readFile(await engine.logFile(containerId), 'utf8');
    await engine.remove(containerId);
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { log: string }).log.trimEnd());
  }

  test('a program inside sees what isolation promises', async () => {
    const lines = await outputOf(
      [
        'id -u; id -g',
        'while read -r line; do case $line in CapEff*|CapBnd*|NoNewPrivs*|Seccomp:*) echo $line;; esac; done < /proc/self/status',
        '(echo x > /home/y) 2>/dev/null && echo writable root || echo readonly root',
        'echo "echo from tmp" > /tmp/run; busybox chmod 755 /tmp/run; busybox sh -c "/tmp/run" || true',
        'ulimit -n; ulimit -c',
        'cat /proc/self/oom_score_adj /proc/sys/net/ipv6/conf/all/disable_ipv6',
        'cat /proc/1/comm',
        'busybox printf "%s\\n" "$ODD"',
      ].join('\n'),
    );
    assert.deepEqual(lines, [
      '100778',
      '100778',
      'CapEff: 0000000000000000',
      'CapBnd: 0000000000000000',
      'NoNewPrivs: 1',
      'Seccomp: 2',
      'readonly root',
      'from tmp',
      '1024',
      '0',
      '500',
      '1',
      'docker-init',
      'a "b" $c',
      ' d',
    ]);
  });

  test('the home is mounted, and a missing source is refused, not made', async () => {
    const source = await mkdtemp(join(tmpdir(), 'botel-home-'));
    await writeFile(join(source, 'note'), 'kept\n');
    await chmod(source, 0o777);
    const readOnly = [{ source, target: '/home', readOnly: true }];
    const script = 'cat /home/note; (echo x > /home/new) 2>/dev/null && echo written || echo refused';
    assert.deepEqual(await outputOf(script, { mounts: readOnly }), ['kept', 'refused']);
    const mounts = [{ source, target: '/home', readOnly: false }];
    assert.deepEqual(await outputOf(script, { mounts }), ['kept', 'written']);
    assert.equal((await stat(join(source, 'new'))).uid, 100_778);
    await rm(source, { recursive: true });
    const spec = specOf(randomUUID(), 'true', { mounts });
    await assert.rejects(engine.create(spec), { code: 'refused', message: /bind source path does not exist/ });
    assert.equal(existsSync(source), false);
  });

  test('the network keeps bots apart and is made again when it is gone', async () => {
    const { client, network } = fixture;
    await engine.info();
    const { body } = await client.request('GET', `/networks/${network.name}`);
    const { Options } = body as { Options: Record<string, string> };
    assert.equal(Options['com.docker.network.bridge.enable_icc'], 'false');
    assert.equal(Options['com.docker.network.bridge.name'], network.bridge);
    const botId = randomUUID();
    await engine.create(specOf(botId, 'exec sleep 1000'));
    assert.equal((await client.request('DELETE', `/networks/${network.name}`)).status, 204);
    const containerId = (await engine.inspect(botId))?.containerId ?? '';
    await engine.start(containerId);
    assert.equal((await engine.inspect(botId))?.state, 'running');
    await engine.kill(containerId);
    await engine.remove(containerId);
  });

  test('installs on one machine share the network and leave each other alone', async () => {
    const other = fixture.engine(`${fixture.installId}-other`);
    const botId = randomUUID();
    await engine.create(specOf(botId, 'exec sleep 1000'));
    const containerId = (await engine.inspect(botId))?.containerId ?? '';
    await other.info();
    assert.deepEqual(await other.list(), []);
    for (const touch of [
      () => other.inspect(botId),
      () => other.start(containerId),
      () => other.stop(containerId, 0),
      () => other.kill(containerId),
      () => other.writeStdin(containerId, 'x'),
      () => other.remove(containerId),
    ]) {
      await assert.rejects(touch, { code: 'unmanaged' });
    }
    assert.equal((await engine.inspect(botId))?.state, 'created');
    await engine.remove(containerId);
    await other.close();
  });

  test('a network of the name that does not keep bots apart is refused', async () => {
    const name = `${fixture.network.name}-open`;
    await fixture.client.request('POST', '/networks/create', { body: { Name: name, Driver: 'bridge' } });
    const images = noImages;
    const client = new DockerClient(host);
    const network = { name, bridge: 'btt-never' };
    const open = new DockerEngine({ client, installId: fixture.installId, images, runtime: 'runc', network });
    await assert.rejects(open.info(), { code: 'refused', message: /does not keep bots apart/ });
    await open.close();
    await fixture.client.request('DELETE', `/networks/${name}`);
  });

  test('what is no id of a container never reaches the engine', async () => {
    for (const odd of ['', '../images', 'a'.repeat(63), `${'a'.repeat(64)}/x`]) {
      await assert.rejects(engine.start(odd), { code: 'refused' });
      await assert.rejects(engine.logFile(odd), { code: 'refused' });
    }
  });

  test('an engine that is not there is unavailable', async () => {
    const away = fixture.engine(fixture.installId, new DockerClient('unix:///nonexistent/docker.sock'));
    await assert.rejects(away.list(), { code: 'unavailable' });
    await assert.rejects(
      (async () => {
        for await (const change of away.changes(new AbortController().signal)) assert.fail(change.kind);
      })(),
      { code: 'unavailable' },
    );
    await away.close();
  });
});
