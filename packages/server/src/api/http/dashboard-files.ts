// The dashboard's built files, in memory: a later build breaks no open page, and no request reads
// the disk (as @fastify/static would).
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
};

/** In order of preference. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

export interface DashboardFile {
  type: string;
  etag: string;
  /** The name contains a hash of the content, so the file never changes. */
  isImmutable: boolean;
  bytes: Buffer;
  encoding: 'br' | 'gzip' | null;
}

export class DashboardFiles {
  readonly #files = new Map<string, Buffer>();

  /** Reads all files below `directory`; empty when the directory does not exist. */
  static async read(directory: string): Promise<DashboardFiles> {
    const files = new DashboardFiles();
    const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      files.#files.set(path.slice(directory.length + 1), await readFile(path));
    }
    return files;
  }

  /** `path`, below /dashboard/, is a page when it has no extension; null = not found. */
  find(path: string, accepted: string | undefined): DashboardFile | null {
    const extension = extname(path);
    const file = extension === '' ? 'index.html' : path;
    const type = types[extension || '.html'];
    const plain = this.#files.get(file);
    if (!plain || !type || file.startsWith('.')) return null;
    const encoding = encodings.find(({ name, suffix }) => accepts(accepted, name) && this.#files.has(file + suffix));
    const bytes = (encoding && this.#files.get(file + encoding.suffix)) ?? plain;
    return {
      type,
      etag: etagOf(bytes),
      isImmutable: file.startsWith('assets/'),
      bytes,
      encoding: encoding?.name ?? null,
    };
  }
}

function accepts(header: string | undefined, encoding: string): boolean {
  return (header ?? '').split(',').some((part) => {
    const [name = '', quality = ''] = part.split(';');
    return name.trim() === encoding && !/^\s*q=0(\.0*)?$/.test(quality);
  });
}

const etags = new WeakMap<Buffer, string>();

function etagOf(bytes: Buffer): string {
  let etag = etags.get(bytes);
  if (etag === undefined) {
    etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    etags.set(bytes, etag);
  }
  return etag;
}
