// Lays out an image's build context and streams it as a tar.
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as tar from 'tar';

export interface BuildContext {
  dockerfile: string;
  /** The setup script's path (images/base/setup). */
  setup: string;
  /** PEM texts. */
  authorities: readonly string[];
  /** Fills runtime/; null when the base image or packages provide the language. */
  fillRuntime: ((target: string) => Promise<void>) | null;
}

/** Fills the new folder `directory`, which must outlive the stream, and streams its content. */
export async function layOutContext(directory: string, context: BuildContext): Promise<AsyncIterable<Buffer>> {
  const shared = join(directory, 'shared');
  const runtime = join(directory, 'runtime');
  await mkdir(join(shared, 'ca'), { recursive: true });
  await mkdir(runtime);
  await writeFile(join(directory, 'Dockerfile'), context.dockerfile);
  await cp(context.setup, join(shared, 'setup'), { mode: 0 });
  await writeFile(join(shared, 'extra-ca.crt'), context.authorities.join(''));
  for (const [index, pem] of context.authorities.entries()) {
    await writeFile(join(shared, 'ca', `botel-${index + 1}.crt`), pem);
  }
  await context.fillRuntime?.(runtime);
  // `follow` packs the targets of links; owners and times of this machine are omitted.
  return tar.create({ cwd: directory, follow: true, portable: true }, ['.']);
}
