// The units of systemd really run: installed by the command, started, killed, stopped. On a systemd
// of the test's own, with real containers.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../packages/server/test/support/until.ts';
import { noRates } from '../../packages/server/test/support/no-rates.ts';
import { createBot, startAndWait, waitForBot, waitForLine } from './bots.ts';
import { containersOfBot, createCountingBot, onlyContainers, tellToEnd } from './counting-bot.ts';
import { adminEmail, adminPassword, attachServer, type DockerServer } from './fixture.ts';
import { checkoutInside, SystemdMachine, systemdFault } from './systemd-machine.ts';
import { http1, type WayIn } from './web-client.ts';

const fault = systemdFault();
/** Who does not answer in this time is asked again. */
const answerMs = 5_000;
const options = { skip: fault ?? false };

/** A machine on which the command made units, which are not started yet, and the ports that they
 * are to have. */
async function install(role: string, units: string[]) {
  const machine = await SystemdMachine.open();
  const [port, gatewayPort] = [await freePort(), await freePort()];
  try {
    const said = await machine.run(`${checkoutInside}/botel`, ['install-service', '--role', role], {
      BOTEL_DATA_DIR: machine.directory,
    });
    assert.ok(said.join('\n').includes(`systemctl start ${units.map((unit) => `${unit}.service`).join(' ')}`));
    for (const unit of units) {
      await machine.addSettings(unit, {
        BOTEL_PORT: String(port),
        BOTEL_GATEWAY_PORT: String(gatewayPort),
        BOTEL_ADMIN_EMAIL: adminEmail,
        BOTEL_ADMIN_PASSWORD: adminPassword,
        BOTEL_IMAGE_SOURCE: 'build',
        BOTEL_DISK_QUOTA: 'loop',
        ...noRates,
      });
    }
    return { machine, url: `http://127.0.0.1:${port}`, apps: http1(gatewayPort) };
  } catch (error) {
    await machine[Symbol.asyncDispose]();
    throw error;
  }
}

/** Starts the units; the server is theirs. */
async function start(machine: SystemdMachine, url: string, units: string[]): Promise<DockerServer> {
  try {
    await machine.run('systemctl', ['start', ...units]);
    await until(() => isReady(url), 60_000);
    return await attachServer(url, machine.directory, () => machine.end());
  } catch (error) {
    for (const unit of units) console.error(await machine.run('cat', [`/run/${unit}.log`]).catch(() => 'no log'));
    await machine[Symbol.asyncDispose]();
    throw error;
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(answerMs) }).catch(() => null);
  return answer?.ok ?? false;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What the gateway answers for the name of an app; 0 where nobody answers. */
async function ask(apps: WayIn, name: string): Promise<number> {
  using exchange = apps.open({ host: `${name}.apps.localhost`, path: '/' });
  const status = exchange.answer.then(
    (answer) => answer.status,
    () => 0,
  );
  return await Promise.race([status, delay(answerMs, 0, { ref: false })]);
}

test(
  'the parts as units: rights, homes in images, an app, and each is there again when it is killed',
  options,
  async (t) => {
    const units = ['botel-agent', 'botel-api', 'botel-gateway'];
    const { machine, url, apps } = await install('split', units);
    await using server = await start(machine, url, units);
    const { client, directory, engine } = server;

    for (const [unit, user] of [
      ['botel-api', 'botel'],
      ['botel-gateway', 'botel-gateway'],
    ] as const) {
      const rights = await machine.rights(unit);
      const [uid] = await machine.run('id', ['--user', user]);
      for (const line of [`Uid:\t${uid}\t${uid}\t`, 'CapEff:\t0+$', 'CapBnd:\t0+$', 'NoNewPrivs:\t1$', 'Seccomp:\t2$'])
        assert.match(rights, new RegExp(`^${line}`, 'm'), unit);
      assert.notEqual(await machine.mountNamespace(unit), await machine.mountNamespace());
    }
    assert.equal(await machine.mountNamespace('botel-agent'), await machine.mountNamespace());

    // Its home is an image that the agent mounted: the engine refuses a container whose home it
    // does not see.
    const [crashing, steady] = [await createCountingBot(client), await createCountingBot(client)];
    for (const id of [crashing, steady]) await startAndWait(client, id);
    assert.ok(existsSync(`${directory}/images/${steady}.img`));
    const before = await onlyContainers(engine, [steady]);

    const web = await createBot(client, {
      command: 'node index.js',
      files: { 'index.js': "require('node:http').createServer((_, to) => to.end('hi')).listen(process.env.PORT)" },
    });
    await client.call('POST', '/apps/create', { bot_id: web, name: 'units-of-systemd' });
    await startAndWait(client, web);
    await until(async () => (await ask(apps, 'units-of-systemd')) === 200, 60_000);
    assert.equal(await ask(apps, 'nobody-has-this'), 404);

    await machine.run('systemctl', ['stop', 'botel-api']);
    assert.equal(await isReady(url), false);
    assert.equal(await ask(apps, 'units-of-systemd'), 200);
    await tellToEnd(directory, crashing);
    await until(async () => (await containersOfBot(engine, crashing))[0]?.run === 2, 60_000);
    await machine.run('systemctl', ['start', 'botel-api']);
    await until(() => isReady(url), 60_000);
    assert.equal((await waitForBot(client, crashing, ({ run }) => run === 2, 60_000)).last_exit?.reason, 'crashed');

    for (const unit of units) {
      const began = performance.now();
      await machine.run('systemctl', ['kill', '--signal=SIGKILL', unit]);
      await until(async () => Number(await machine.show(unit, 'NRestarts')) > 0, 60_000);
      await until(async () => (await isReady(url)) && (await ask(apps, 'units-of-systemd')) === 200, 60_000);
      t.diagnostic(`${unit} killed: ready again after ${((performance.now() - began) / 1000).toFixed(1)} s`);
    }
    const since = new Date().toISOString();
    await waitForLine(client, steady, ({ ts, stream }) => stream === 'stdout' && ts > since);
    assert.deepEqual(await onlyContainers(engine, [steady]), before);
  },
);

test('one process as a unit: bots run on while it is stopped, and it goes on with them', options, async () => {
  const { machine, url } = await install('single', ['botel']);
  await using server = await start(machine, url, ['botel']);
  const { client, engine } = server;
  const id = await createBot(client, { command: 'sleep 1000' });
  await startAndWait(client, id);
  const before = await onlyContainers(engine, [id]);
  await machine.run('systemctl', ['stop', 'botel']);
  assert.equal(await machine.show('botel', 'Result'), 'success');
  assert.deepEqual(await onlyContainers(engine, [id]), before);
  await machine.run('systemctl', ['start', 'botel']);
  await until(() => isReady(url), 60_000);
  assert.deepEqual(await onlyContainers(engine, [id]), before);
  assert.deepEqual([(await client.bot(id)).status, (await client.bot(id)).run], ['online', 1]);
});
