// The fixture that tests of the real engine stand on: an image with nothing but busybox, a network
// and an install id of their own, taken away afterwards.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { create as createTar } from 'tar';
import { containerName } from '../../packages/server/src/core/domain/bot.ts';
import { DockerClient, messageOf } from '../../packages/server/src/agent/engine/docker/client.ts';
import { DockerEngine } from '../../packages/server/src/agent/engine/docker/docker-engine.ts';
import { CheckedClient } from '../../packages/server/test/engine-contract/checked-client.ts';
import type { EngineSubject, Intent } from '../../packages/server/test/engine-contract/engine-suite.ts';

/** Address of the engine under test. */
export const host = process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock';
const busybox = '/bin/busybox';

/** These tests bring their own image. */
export const noImages = {
  find: async () => null,
  prepare: () => Promise.reject(new Error('not here')),
  list: async () => [],
  remove: async () => {},
  close: async () => {},
};

/** One image, one network, one install; `clear` leaves nothing of them. */
export class Ground {
  readonly client = new DockerClient(host);
  readonly installId: string;
  readonly network: { name: string; bridge: string };
  imageId = '';
  readonly #tag: string;

  constructor() {
    const suffix = randomBytes(4).toString('hex');
    this.installId = `botel-test-${suffix}`;
    this.network = { name: `botel-test-${suffix}`, bridge: `btt-${suffix}` };
    this.#tag = `engine-${suffix}`;
  }

  engine(installId = this.installId, client = new DockerClient(host)): DockerEngine {
    const { network } = this;
    const checked = new CheckedClient(client, { installId, network });
    return new DockerEngine({ client: checked, installId, images: noImages, runtime: 'runc', network });
  }

  async prepare(): Promise<void> {
    if (!existsSync(busybox)) {
      await promisify(execFile)('apt-get', ['install', '-y', '--no-install-recommends', 'busybox-static']);
    }
    const root = await mkdtemp(join(tmpdir(), 'botel-image-'));
    try {
      for (const directory of ['bin', 'tmp', 'home', 'etc']) await mkdir(join(root, directory));
      await chmod(join(root, 'tmp'), 0o1777);
      await copyFile(busybox, join(root, 'bin/busybox'));
      for (const name of ['sh', 'sleep', 'cat', 'tail', 'id']) await symlink('busybox', join(root, 'bin', name));
      const body = Readable.from(createTar({ cwd: root }, ['.']));
      const query = { fromSrc: '-', repo: 'botel-test', tag: this.#tag };
      const answer = await this.client.upload('POST', '/images/create', {
        query,
        contentType: 'application/x-tar',
        body,
      });
      let text = '';
      for await (const chunk of answer) text += chunk.toString();
      assert.equal(answer.status, 200, text);
      const image = await this.client.request('GET', `/images/botel-test:${this.#tag}/json`);
      this.imageId = (image.body as { Id: string }).Id;
    } finally {
      await rm(root, { recursive: true });
    }
  }

  async clear(): Promise<void> {
    const filters = JSON.stringify({ label: [`botel.install=${this.installId}`] });
    const left = await this.client.request('GET', '/containers/json', { query: { all: true, filters } });
    for (const { Id } of left.body as { Id: string }[]) {
      await this.client.request('DELETE', `/containers/${Id}?force=1&v=1`);
    }
    await this.client.request('DELETE', `/networks/${this.network.name}`);
    if (this.imageId) await this.client.request('DELETE', `/images/botel-test:${this.#tag}`);
    await this.client.close();
  }
}

function argvOf(intent: Intent): string[] {
  const shell = (script: string) => ['/bin/sh', '-c', script];
  switch (intent.program) {
    case 'exit':
      return shell(`exit ${intent.code}`);
    case 'serve':
      return shell('echo started; exec sleep 1000');
    case 'graceful':
      return shell('trap "exit 0" TERM; echo started; while true; do sleep 1 & wait; done');
    case 'deaf':
      return shell('trap "" TERM; echo started; while true; do sleep 1; done');
    case 'echo':
      return shell('echo started; while read -r line; do echo "got $line"; done; echo end; exec sleep 1000');
    case 'numb':
      return shell('echo started; exec sleep 1000');
    case 'flood':
      return shell('echo started; exec busybox yes 0123456789012345678901234567890123456789');
    case 'oom':
      return ['/bin/tail', '/dev/zero'];
    case 'missing':
      return ['/bin/no-such-program'];
    case 'unstartable':
      return shell('true');
  }
}

/** The real engine as a subject of the contract. */
export async function openDocker(): Promise<EngineSubject> {
  const fixture = new Ground();
  await fixture.prepare();
  const { client } = fixture;
  const engine = fixture.engine();
  const pathOf = (botId: string) => `/containers/${containerName(botId)}`;
  const removeByHand = async (botId: string) => {
    const { status, body } = await client.request('DELETE', `${pathOf(botId)}?force=1`);
    assert.equal(status, 204, messageOf(body));
  };
  return {
    engine,
    imageId: fixture.imageId,
    argvOf,
    async squat(botId) {
      const body = { Image: fixture.imageId, Entrypoint: ['/bin/sleep', '1000'], HostConfig: { NetworkMode: 'none' } };
      const made = await client.request('POST', '/containers/create', { query: { name: containerName(botId) }, body });
      assert.equal(made.status, 201, messageOf(made.body));
      assert.equal((await client.request('POST', `${pathOf(botId)}/start`)).status, 204);
    },
    async squatterRuns(botId) {
      const { body } = await client.request('GET', `${pathOf(botId)}/json`);
      return (body as { State: { Running: boolean } }).State.Running;
    },
    removeSquatter: removeByHand,
    removeByHand,
    async close() {
      await engine.close();
      await fixture.clear();
    },
  };
}
