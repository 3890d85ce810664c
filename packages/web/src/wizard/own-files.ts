// The user's files for a new bot: what they are, what they say about it, and how they are sent.
// Zips are inspected like folders; other archives are passed on unread.
import type { ArchiveFormat } from '@botel/contract/vocabulary';
import { type Drop, filterDrop, withoutTopFolder } from '../files/drop-filter.ts';
import { dotEnvPath } from '../files/upload-plan.ts';
import { readZip, readZipText, renameInZip } from '../lib/zip-file.ts';
import { detect, type Guess } from './detect.ts';
import { type HostConfig, hostFiles, readHostConfig } from './host-config.ts';

export interface OwnFiles {
  /** Their original name; '' = none. */
  folder: string;
  /** Paths in the bot's home; empty if the archive wasn't inspected. */
  files: { path: string; size: number }[];
  skipped: Map<string, number>;
  /** An archive that is passed on unread. */
  archive: { name: string; size: number } | null;
  /** Text of a top-level `.env`, which isn't uploaded; null = none. */
  dotEnv: string | null;
  config: HostConfig | null;
  guess: Guess | null;
  /** What is uploaded, and how it is unpacked. */
  pack(): Promise<{ body: Blob; extract: ArchiveFormat }>;
}

/** A file that can be read before the upload. */
interface Readable {
  path: string;
  size: number;
  text(): Promise<string>;
}

/** Null if empty. Rejects if a file can't be read. */
export async function takeOwn(drop: Drop): Promise<OwnFiles | null> {
  const [only] = drop.files;
  if (only === undefined) return null;
  const format = drop.files.length === 1 ? formatOf(only.path) : null;
  if (format !== null) return (format === 'zip' ? await ofZip(only.file) : null) ?? ofArchive(only.file, format);
  const files = withoutTopFolder(
    drop.files.map(({ path, file }) => ({ path, file, size: file.size, text: () => file.text() })),
  );
  return ofFiles({ files, skipped: drop.skipped }, topOf(only.path), async (sent) => {
    const { zipFiles } = await import('../files/zip-files.ts');
    return zipFiles(sent);
  });
}

async function ofZip(zip: File): Promise<OwnFiles | null> {
  const entries = await readZip(zip).catch(() => null);
  if (!entries || entries.length === 0) return null;
  const named = entries.map((entry) => ({
    entry,
    path: entry.path,
    size: entry.size,
    text: () => readZipText(zip, entry),
  }));
  const { files, skipped } = filterDrop(named);
  const [first] = files;
  if (!first) return null;
  const inside = withoutTopFolder(files);
  const folder = inside[0]?.path === first.path ? zip.name : topOf(first.path);
  return ofFiles({ files: inside, skipped }, folder, (sent) => renameInZip(zip, sent));
}

function ofArchive(file: File, format: ArchiveFormat): OwnFiles {
  return {
    folder: file.name,
    files: [],
    skipped: new Map(),
    archive: { name: file.name, size: file.size },
    dotEnv: null,
    config: null,
    guess: null,
    pack: () => Promise.resolve({ body: file, extract: format }),
  };
}

async function ofFiles<T extends Readable>(
  { files, skipped }: Drop<T>,
  folder: string,
  zip: (sent: T[]) => Promise<Blob>,
): Promise<OwnFiles> {
  const textOf = async (path: string) => (await files.find((each) => each.path === path)?.text()) ?? null;
  const [dotEnv, packageJson, ...texts] = await Promise.all([dotEnvPath, 'package.json', ...hostFiles].map(textOf));
  const index = texts.findIndex((text) => text !== null);
  const config = index === -1 ? null : readHostConfig(hostFiles[index]!, texts[index] ?? '');
  const sent = files.filter(({ path }) => path !== dotEnvPath);
  const paths = sent.map(({ path }) => path);
  return {
    folder,
    files: sent.map(({ path, size }) => ({ path, size })),
    skipped,
    archive: null,
    dotEnv: dotEnv ?? null,
    config,
    guess: detect(paths, packageJson ?? null, config),
    pack: async () => ({ body: await zip(sent), extract: 'zip' }),
  };
}

function topOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
}

/** How an archive with this name is unpacked; null = not an archive. */
export function formatOf(name: string): ArchiveFormat | null {
  if (/\.zip$/i.test(name)) return 'zip';
  if (/\.(tar\.gz|tgz)$/i.test(name)) return 'tar.gz';
  return /\.tar$/i.test(name) ? 'tar' : null;
}
