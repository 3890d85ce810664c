// What the measurements stand on: an engine with the nodejs image, Botel processes and raw
// containers. Takes everything away again, also what an earlier run that was cut off left behind.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkoutPath } from '../packages/server/src/core/lib/checkout.ts';
import { type Config, loadConfig } from '../packages/server/src/core/config/config.ts';
import { languageDefinitions } from '../packages/server/src/core/domain/languages/languages.ts';
import { DockerClient, messageOf } from '../packages/server/src/agent/engine/docker/client.ts';
import { labelNames } from '../packages/server/src/agent/engine/docker/create-body.ts';
import { RuntimeImages } from '../packages/server/src/agent/engine/docker/runtime-images.ts';
import { HomeImages } from '../packages/server/src/agent/homes/home-images.ts';
import { setUpEngine } from '../packages/server/src/cli/setup/set-up-engine.ts';
import { Product } from './product.ts';
import { until } from './until.ts';

/** A folder per run below it, named by the process; on the disk of the checkout, so that commits
 * cost what they cost. */
const parent = checkoutPath('node_modules/.cache/botel-bench');

export class Ground {
  readonly engine: DockerClient;
  readonly config: Config;
  /** Install label of raw containers. */
  readonly rawInstallId = `botel-bench-${process.pid}`;
  /** For files of measurements; removed in the end. */
  readonly directory = join(parent, String(process.pid));
  readonly #products: Product[] = [];
  #nodejsImage = '';

  constructor() {
    this.config = loadConfig(process.env, checkoutPath());
    this.engine = new DockerClient(this.config.dockerHost);
  }

  async prepare(): Promise<void> {
    const progress = (text: string) => console.log(`   ${text}`);
    const cacheDirectory = join(parent, 'cache');
    await setUpEngine({
      containerRuntime: 'runc',
      dockerHost: this.config.dockerHost,
      dataDirectory: cacheDirectory,
      progress,
    });
    await this.#clearLeftovers();
    const images = new RuntimeImages({
      client: this.engine,
      source: this.config.imageSource,
      imagesDirectory: checkoutPath('images'),
      cacheDirectory,
      extraCaFile: this.config.extraCaFile,
    });
    const [version] = languageDefinitions.nodejs.versions;
    this.#nodejsImage = (await images.find('nodejs', version)) ?? (await images.prepare('nodejs', version, progress));
    await this.#warmUp();
  }

  /** A Botel of its own, running; `settings` are further variables of its environment. */
  async product(settings: Record<string, string> = {}): Promise<Product> {
    const product = new Product(join(this.directory, String(this.#products.length)), settings);
    this.#products.push(product);
    await product.start();
    return product;
  }

  /** Ends a Botel and removes its bots and files. */
  async close(product: Product): Promise<void> {
    await product.kill('SIGKILL');
    await this.#removeData(product.dataDirectory);
  }

  async clear(): Promise<void> {
    for (const product of this.#products) await this.close(product);
    await this.#removeContainers(this.rawInstallId);
    await rm(this.directory, { recursive: true, force: true });
    await this.engine.close();
  }

  /** A container that was never started, with the folder `source` at `target`; resolves with its
   * id. */
  async containerWith(source: string, target: string): Promise<string> {
    const body = {
      Image: this.#nodejsImage,
      Cmd: ['true'],
      Labels: { [labelNames.install]: this.rawInstallId },
      HostConfig: { Mounts: [{ Type: 'bind', Source: source, Target: target }] },
    };
    const answer = await this.engine.request('POST', '/containers/create', { body });
    if (answer.status !== 201) throw new Error(messageOf(answer.body));
    return (answer.body as { Id: string }).Id;
  }

  async removeContainer(id: string): Promise<void> {
    await this.engine.request('DELETE', `/containers/${id}?force=1&v=1`);
    const isGone = async () => (await this.engine.request('GET', `/containers/${id}/json`)).status === 404;
    await until('the container is gone', isGone);
  }

  /** Compiled code is kept when a process ends well: it is there from the second start of a version
   * on. */
  async #warmUp(): Promise<void> {
    const product = await this.product();
    await product.kill('SIGTERM');
    await this.close(product);
  }

  async #removeContainers(installId: string): Promise<void> {
    const filters = JSON.stringify({ label: [`${labelNames.install}=${installId}`] });
    const { body } = await this.engine.request('GET', '/containers/json', { query: { all: true, filters } });
    const ids = (body as { Id: string }[]).map(({ Id }) => Id);
    await Promise.all(ids.map((id) => this.removeContainer(id)));
  }

  /** Removes the data folder of a Botel that is gone, with its containers. */
  async #removeData(directory: string): Promise<void> {
    const path = join(directory, 'install-id');
    if (existsSync(path)) await this.#removeContainers(readFileSync(path, 'utf8').trim());
    const [homes, images] = [join(directory, 'homes'), join(directory, 'images')];
    if (existsSync(images)) await new HomeImages(homes, images).leave(new Set());
    await rm(directory, { recursive: true, force: true });
  }

  async #clearLeftovers(): Promise<void> {
    if (!existsSync(parent)) return;
    for (const pid of readdirSync(parent)) {
      if (!/^\d+$/.test(pid) || existsSync(`/proc/${pid}`)) continue;
      await this.#removeContainers(`botel-bench-${pid}`);
      for (const number of readdirSync(join(parent, pid))) await this.#removeData(join(parent, pid, number));
      await rm(join(parent, pid), { recursive: true, force: true });
    }
  }
}
