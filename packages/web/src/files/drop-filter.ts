// Selects the files of a dropped folder to upload: skips what the server builds again and files of
// the owner's tools, keeps lock files and hidden files. Pure.

/** Folders skipped at any depth. */
const skippedFolders = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  '__pycache__',
  '.venv',
  'venv',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.gradle',
  '.idea',
  '.vscode',
  '__MACOSX',
  '.cache',
]);
const skippedFiles = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

/** The name an entry is skipped for, a folder's or its own; null = it is uploaded. */
export function skippedFor(path: string, kind: 'file' | 'directory'): string | null {
  const parts = path.split('/');
  const folders = kind === 'directory' ? parts : parts.slice(0, -1);
  const folder = folders.find((name) => skippedFolders.has(name));
  if (folder !== undefined) return folder;
  const name = parts.at(-1) ?? '';
  return kind === 'file' && skippedFiles.has(name) ? name : null;
}

/** A file to upload; `path` is relative to the target folder. */
export interface DroppedFile {
  path: string;
  file: File;
}

export interface Drop<T = DroppedFile> {
  files: T[];
  /** Number of skipped files by name; Infinity = too many to count. */
  skipped: Map<string, number>;
}

/** Removes what is skipped, including the target folder of a Rust project. */
export function filterDrop<T extends { path: string }>(files: readonly T[]): Drop<T> {
  const rustFolders = files
    .filter(({ path }) => path === 'Cargo.toml' || path.endsWith('/Cargo.toml'))
    .map(({ path }) => `${path.slice(0, -'Cargo.toml'.length)}target/`);
  const skipped = new Map<string, number>();
  const kept = files.filter(({ path }) => {
    const why = rustFolders.some((folder) => path.startsWith(folder)) ? 'target' : skippedFor(path, 'file');
    if (why !== null) skipped.set(why, (skipped.get(why) ?? 0) + 1);
    return why === null;
  });
  return { files: kept, skipped };
}

/** Files found, uploaded or not; null = too many to count. */
export function countAll({ files, skipped }: Drop<unknown>): number | null {
  const count = [...skipped.values()].reduce((sum, each) => sum + each, files.length);
  return Number.isFinite(count) ? count : null;
}

/** Strips the folder that contains all files, if there is one. */
export function withoutTopFolder<T extends { path: string }>(files: readonly T[]): T[] {
  const tops = new Set(files.map(({ path }) => (path.includes('/') ? path.slice(0, path.indexOf('/') + 1) : '')));
  const [top = ''] = tops;
  if (tops.size !== 1 || top === '') return [...files];
  return files.map((each) => ({ ...each, path: each.path.slice(top.length) }));
}

/** `name.txt` becomes `name (2).txt`, the first number that is free. */
export function freeName(path: string, isTaken: (path: string) => boolean): string {
  const [, folder = '', name = '', ending = ''] = /^(.*\/)?(.+?)(\.[^./]*)?$/.exec(path) ?? [];
  for (let number = 2; ; number++) {
    const free = `${folder}${name} (${number})${ending}`;
    if (!isTaken(free)) return free;
  }
}

const tokens: [kind: 'discord' | 'telegram', pattern: RegExp][] = [
  ['discord', /\b[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40}\b/],
  ['telegram', /\b\d{8,10}:[A-Za-z\d_-]{35}\b/],
];

/** The kind of token found in a source file; null = none. Checked locally, never sent. */
export function tokenIn(text: string): 'discord' | 'telegram' | null {
  return tokens.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}
