// The templates that ship with Botel: one folder each, with example.json beside the files.
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Template } from '../domain/template.ts';
import type { SentFile } from '../lib/sent-file.ts';

const factsName = 'example.json';

/** Contents of example.json. */
interface Facts {
  name: string;
  language: Template['language'];
  memory: number;
  startup_command: string;
  environment?: Record<string, string>;
  secrets?: Template['secrets'];
  description: string;
  translations?: Template['translations'];
}

export class TemplateFolder {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** All templates, by id. */
  async list(): Promise<Template[]> {
    const ids = (await readdir(this.#directory)).toSorted();
    return Promise.all(ids.map((id) => this.#read(id)));
  }

  /** The files of a listed template. */
  async *files({ id, files }: Template): AsyncGenerator<SentFile> {
    for (const name of files) yield { name, content: createReadStream(join(this.#directory, id, name)) };
  }

  async #read(id: string): Promise<Template> {
    const root = join(this.#directory, id);
    const facts = JSON.parse(await readFile(join(root, factsName), 'utf8')) as Facts;
    const { name, language, memory, startup_command: startupCommand, description } = facts;
    const { environment = {}, secrets = [], translations = {} } = facts;
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((path) => path !== factsName)
      .toSorted();
    const texts = { description, translations };
    return { id, name, language, memoryMb: memory, startupCommand, environment, secrets, files, ...texts };
  }
}
