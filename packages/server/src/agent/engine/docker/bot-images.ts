// The images that bots run in: a runtime image, or one built on it with the bot's packages. An
// image with packages belongs to one install, is shared by its bots, and is named after its runtime
// image and packages.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as tar from 'tar';
import { type Runtime, runtimeName } from '../../../core/domain/runtime.ts';
import { type Clock, systemClock } from '../../../core/lib/clock.ts';
import { sha256 } from '../../../core/lib/ids.ts';
import { isPackageName } from '../../../core/lib/package-name.ts';
import { Semaphore } from '../../../core/lib/semaphore.ts';
import { EngineError, type Progress } from '../engine.ts';
import type { DockerClient } from './client.ts';
import { buildImage, findImageId, labelOf, labelledImages, removeImage } from './image-calls.ts';
import type { RuntimeImages } from './runtime-images.ts';
import { SharedWork } from './shared-work.ts';

export interface BotImagesOptions {
  client: DockerClient;
  installId: string;
  /** The folder images/ of this install. */
  imagesDirectory: string;
  runtimes: Pick<RuntimeImages, 'find' | 'prepare' | 'close'>;
  clock?: Clock;
}

/** Not the labels of containers, which inherit these: one made by hand must not look like ours. */
const labels = { install: 'botel.packages.install', recipe: 'botel.packages.recipe', packages: 'botel.packages' };
const parallelBuilds = 2;
/** As long as a start waits for its image. */
const buildDeadlineMs = 600_000;

export class BotImages {
  readonly #options: BotImagesOptions;
  readonly #clock: Clock;
  readonly #shared = new SharedWork();
  readonly #builds = new Semaphore(parallelBuilds);
  readonly #closing = new AbortController();

  constructor(options: BotImagesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Id of the image, null when it must be prepared first. Rejects with EngineError. */
  async find(runtime: Runtime): Promise<string | null> {
    const base = await this.#options.runtimes.find(runtime.language, runtime.version);
    if (base === null || runtime.packages.length === 0) return base;
    return findImageId(this.#options.client, await this.#tagOf(runtime, base));
  }

  /** Ensures that the image exists (minutes); returns its id. EngineErrors are for the owner. */
  async prepare(runtime: Runtime, progress: Progress): Promise<string> {
    const { runtimes, client } = this.#options;
    const base = await runtimes.prepare(runtime.language, runtime.version, progress);
    if (runtime.packages.length === 0) return base;
    const tag = await this.#tagOf(runtime, base);
    return this.#shared.run(tag, progress, async (report) => {
      const present = await findImageId(client, tag);
      if (present) return present;
      const what = `Installing ${runtime.packages.join(', ')} into the ${runtime.language} ${runtime.version} image`;
      const began = this.#clock.now();
      await this.#builds.run(() => {
        report(`${what} (first use on this machine)`);
        return this.#build(runtime, base, tag);
      });
      const id = await findImageId(client, tag);
      if (!id) throw new EngineError('image_missing', `The image ${runtimeName(runtime)} is gone`);
      report(`${what}: done in ${Math.round((this.#clock.now() - began) / 1000)} s`);
      return id;
    });
  }

  /** Ids of the images with packages that this install made. */
  list(): Promise<string[]> {
    return labelledImages(this.#options.client, `${labels.install}=${this.#options.installId}`);
  }

  /** Removes an image of `list`; one that a container uses stays, and a missing one is fine. */
  async remove(imageId: string): Promise<void> {
    const { client, installId } = this.#options;
    const owner = await labelOf(client, imageId, labels.install);
    if (owner === null) return;
    if (owner !== installId) throw new EngineError('unmanaged', 'The image was not made by this install');
    await removeImage(client, imageId);
  }

  /** Aborts preparations in progress and closes the client. */
  async close(): Promise<void> {
    this.#closing.abort(new EngineError('unavailable', 'Botel is stopping'));
    await this.#options.runtimes.close();
    await this.#options.client.close();
  }

  async #build({ packages }: Runtime, base: string, tag: string): Promise<void> {
    const { client, imagesDirectory, installId } = this.#options;
    const recipe = tag.slice(tag.lastIndexOf('-') + 1);
    const context = tar.create({ cwd: join(imagesDirectory, 'packages'), portable: true }, ['Dockerfile']);
    const late = new EngineError('timeout', `It took longer than ${buildDeadlineMs / 1000} s`);
    const patience = new AbortController();
    const timer = this.#clock.after(buildDeadlineMs, () => patience.abort(late));
    try {
      await buildImage(client, context, {
        tag,
        arguments: { BASE: base, PACKAGES: packages.join(' '), INSTALL: installId, RECIPE: recipe },
        labels: { [labels.packages]: packages.join(' ') },
        signal: AbortSignal.any([patience.signal, this.#closing.signal]),
      });
    } catch (error) {
      if (this.#closing.signal.aborted) throw error;
      await this.#removeLeft(recipe);
      throw failure(packages, error);
    } finally {
      timer.cancel();
    }
  }

  /** Removes the unnamed image of a failed installation; `list` finds it if that fails. */
  async #removeLeft(recipe: string): Promise<void> {
    const { client } = this.#options;
    try {
      for (const id of await labelledImages(client, `${labels.recipe}=${recipe}`)) await removeImage(client, id);
    } catch {
      // The owner gets the failure of the installation.
    }
  }

  async #tagOf({ language, version, packages }: Runtime, base: string): Promise<string> {
    const odd = packages.find((name) => !isPackageName(name));
    if (odd !== undefined) throw new EngineError('refused', `${JSON.stringify(odd)} is not the name of a package`);
    const { imagesDirectory, installId } = this.#options;
    const dockerfile = await readFile(join(imagesDirectory, 'packages/Dockerfile'), 'utf8');
    const recipe = sha256(JSON.stringify([installId, base, dockerfile, packages])).slice(0, 12);
    return `botel/${language}-packages:${version}-${recipe}`;
  }
}

/** What apt-get prints when it can't reach Debian's packages, for any reason. */
const unreachable = /Failed to fetch|Temporary failure resolving|Could not (connect|resolve)|Unable to connect/;

function failure(packages: readonly string[], error: unknown): EngineError {
  const text = error instanceof Error ? error.message : String(error);
  const reason = unreachable.test(text) ? "Debian's packages could not be fetched, the network may be down\n" : '';
  const code = error instanceof EngineError ? error.code : 'refused';
  const message = `The packages ${packages.join(', ')} could not be installed: ${reason}${text}`;
  return new EngineError(code, message, { cause: error });
}
