// Runtime images: one per language and version, named after its recipe; pulled or built here.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Language } from '@botel/contract/vocabulary';
import { languageDefinitions } from '../../../core/domain/languages/languages.ts';
import { type Clock, systemClock } from '../../../core/lib/clock.ts';
import { sha256 } from '../../../core/lib/ids.ts';
import { Semaphore } from '../../../core/lib/semaphore.ts';
import { EngineError, type Progress } from '../engine.ts';
import { baseArguments, makeBase } from './base-image.ts';
import { layOutContext } from './build-context.ts';
import type { DockerClient } from './client.ts';
import { buildImage, findImageId, importImage, pullImage } from './image-calls.ts';
import { layOutNode, nodeRuntimeVersion } from './node-runtime.ts';
import { SharedWork } from './shared-work.ts';
import { extraAuthorities } from './trusted-authorities.ts';
import { removeAbandonedWork, withWorkDirectory } from './work-directory.ts';

export interface RuntimeImagesOptions {
  client: DockerClient;
  /** Source of images; `auto` pulls where a registry answers and builds elsewhere. */
  source: 'auto' | 'pull' | 'build';
  /** The folder images/ of this install. */
  imagesDirectory: string;
  /** Downloads and temporary files; created when missing. */
  cacheDirectory: string;
  /** PEM file of authorities for bots besides the public and the machine's ones; '' = none. */
  extraCaFile: string;
  clock?: Clock;
}

/** One image to prepare, and the listener for its progress. */
interface Order {
  language: Language;
  version: string;
  tag: string;
  progress: Progress;
}

/** More would compete for the same disk and CPUs. */
const parallelBuilds = 2;
const registryFirstAnswerMs = 10_000;
const registryMemoryMs = 600_000;
const baseRepository = 'botel/base';

export class RuntimeImages {
  readonly #options: RuntimeImagesOptions;
  readonly #clock: Clock;
  readonly #workParent: string;
  readonly #shared = new SharedWork();
  readonly #builds = new Semaphore(parallelBuilds);
  readonly #closing = new AbortController();
  readonly #tags = new Map<string, Promise<string>>();
  #authorities: Promise<string[]> | null = null;
  #cleaned: Promise<void> | null = null;
  #noRegistryUntil = 0;

  constructor(options: RuntimeImagesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#workParent = join(options.cacheDirectory, 'work');
  }

  /** Id of the image, null when it must be prepared first. Rejects with EngineError. */
  async find(language: Language, version: string): Promise<string | null> {
    return findImageId(this.#options.client, await this.#tagOf(language, version));
  }

  /** Ensures that the image exists (minutes); returns its id. EngineErrors are for the owner. */
  async prepare(language: Language, version: string, progress: Progress): Promise<string> {
    const tag = await this.#tagOf(language, version);
    return this.#shared.run(tag, progress, async (report) => {
      const present = await findImageId(this.#options.client, tag);
      if (present) return present;
      const began = this.#clock.now();
      const verb = await this.#make({ language, version, tag, progress: report });
      const id = await findImageId(this.#options.client, tag);
      if (!id) throw new EngineError('image_missing', `The ${language} ${version} image is gone`);
      report(`${verb} the ${language} ${version} image: done in ${Math.round((this.#clock.now() - began) / 1000)} s`);
      return id;
    });
  }

  /** Aborts the work in progress. */
  async close(): Promise<void> {
    this.#closing.abort(new EngineError('unavailable', 'Botel is stopping'));
  }

  async #make(order: Order): Promise<'Pulling' | 'Building'> {
    if (this.#options.source !== 'build' && (await this.#pull(order))) return 'Pulling';
    await this.#build(order);
    return 'Building';
  }

  /** False when the image must be built instead. */
  async #pull(order: Order): Promise<boolean> {
    const { language, version, progress } = order;
    const isRequired = this.#options.source === 'pull';
    const name = `${language} ${version}`;
    const official = languageDefinitions[language].image.officialImage?.(version);
    if (!official && isRequired)
      throw new EngineError('refused', `The ${name} image could not be pulled: there is no official one`);
    if (!official || (!isRequired && this.#clock.now() < this.#noRegistryUntil)) return false;
    try {
      progress(`Pulling the ${name} image (first use on this machine)`);
      const signal = this.#closing.signal;
      await pullImage(this.#options.client, official, { firstAnswerMs: registryFirstAnswerMs, signal });
    } catch (error) {
      if (this.#closing.signal.aborted) throw error;
      if (isRequired) throw failure(`The ${name} image could not be pulled`, error);
      this.#noRegistryUntil = this.#clock.now() + registryMemoryMs;
      return false;
    }
    await this.#buildOn(official, order, 'pulled');
    return true;
  }

  async #build(order: Order): Promise<void> {
    const { language, version, progress } = order;
    const name = `${language} ${version}`;
    try {
      const base = await this.#base((text) => progress(`Building the ${name} image: ${text}`));
      await this.#builds.run(async () => {
        const { buildDuration } = languageDefinitions[language].image;
        progress(`Building the ${name} image: installing packages (first use on this machine, ${buildDuration})`);
        await this.#buildOn(base, order, 'own');
      });
    } catch (error) {
      throw failure(`The ${name} image could not be built`, error);
    }
  }

  /** Builds the language's Dockerfile on `base`. */
  async #buildOn(base: string, order: Order, kind: 'own' | 'pulled'): Promise<void> {
    const { client, cacheDirectory, imagesDirectory } = this.#options;
    const { language, version } = order;
    const dockerfile = await this.#dockerfile(language);
    const authorities = await this.#extraAuthorities();
    await this.#work(async (directory) => {
      const folders = { cache: cacheDirectory, work: directory };
      const fillsRuntime = language === 'nodejs' && kind === 'own';
      const context = await layOutContext(join(directory, 'context'), {
        dockerfile,
        setup: join(imagesDirectory, 'base/setup'),
        authorities,
        fillRuntime: fillsRuntime ? (target) => layOutNode(version, target, folders) : null,
      });
      const signal = this.#closing.signal;
      await buildImage(client, context, { tag: order.tag, arguments: { BASE: base, VERSION: version }, signal });
    });
  }

  /** Tag of the Debian base, built when missing; parallel callers share the work. */
  #base(progress: Progress): Promise<string> {
    const version = sha256(baseArguments.join('\n')).slice(0, 12);
    const tag = `${baseRepository}:${version}`;
    return this.#shared.run(tag, progress, async (report) => {
      const { client } = this.#options;
      if (await findImageId(client, tag)) return tag;
      report('making the Debian base (first use on this machine, about half a minute)');
      const signal = this.#closing.signal;
      await this.#work((directory) =>
        makeBase(directory, signal, (system) =>
          importImage(client, system, { repository: baseRepository, tag: version, signal }),
        ),
      );
      return tag;
    });
  }

  async #work<T>(work: (directory: string) => Promise<T>): Promise<T> {
    await (this.#cleaned ??= removeAbandonedWork(this.#workParent));
    return withWorkDirectory(this.#workParent, work);
  }

  #tagOf(language: Language, version: string): Promise<string> {
    const key = `${language}:${version}`;
    const known = this.#tags.get(key);
    if (known) return known;
    const tag = this.#recipe(language, version).then((recipe) => `botel/${key}-${sha256(recipe).slice(0, 12)}`);
    this.#tags.set(key, tag);
    tag.catch(() => this.#tags.delete(key));
    return tag;
  }

  /** Everything that determines the image, as one text. */
  async #recipe(language: Language, version: string): Promise<string> {
    if (!languageDefinitions[language].versions.includes(version)) {
      throw new EngineError('refused', `There is no runtime for ${language} ${version}`);
    }
    return JSON.stringify([
      await this.#dockerfile(language),
      await readFile(join(this.#options.imagesDirectory, 'base/setup'), 'utf8'),
      await this.#extraAuthorities(),
      language === 'nodejs' ? await nodeRuntimeVersion(version) : '',
      baseArguments,
    ]);
  }

  async #dockerfile(language: Language): Promise<string> {
    const text = await readFile(join(this.#options.imagesDirectory, language, 'Dockerfile'), 'utf8');
    if ((await this.#extraAuthorities()).length === 0) return text;
    const variables = Object.entries(languageDefinitions[language].image.trustEnvironment);
    return text + variables.map(([name, value]) => `ENV ${name}=${value}\n`).join('');
  }

  #extraAuthorities(): Promise<string[]> {
    this.#authorities ??= extraAuthorities(this.#options.extraCaFile);
    return this.#authorities;
  }
}

function failure(what: string, error: unknown): EngineError {
  const code = error instanceof EngineError ? error.code : 'refused';
  return new EngineError(code, `${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
}
