// Plans an upload: which files under which names, and which exist already. Pure except for the
// passed-in lookups on the server.
import { parseDotEnv } from '../env/dot-env.ts';
import { type Drop, type DroppedFile, freeName, tokenIn, withoutTopFolder } from './drop-filter.ts';
import { endingOf, foldersAbove, joinPath } from './file-kinds.ts';

/** Imported as variables instead of a file. */
export const dotEnvPath = '.env';

export type OnConflict = 'replace' | 'skip' | 'both';

/** The user's choices. */
export interface UploadChoices {
  /** Strips the folder that contains all files. */
  dropsTop: boolean;
  /** The only file is a zip, which is unpacked. */
  unpacks: boolean;
  onConflict: OnConflict;
  /** A .env file at the top becomes variables instead. */
  takesEnv: boolean;
  mirror: boolean;
}

/** Source files searched for tokens, and how much of each. */
const sources = new Set(['js', 'mjs', 'cjs', 'ts', 'py', 'java', 'go', 'rs', 'json']);
const inspectedBytes = 256 * 1024;
/** Folders checked at most; in others everything counts as new. */
const maxFolders = 40;

/** The folder that all files are in; null = there is none. */
export function topFolderOf({ files }: Drop): string | null {
  const top = files[0]?.path.split('/')[0];
  const isTop = top !== undefined && files.every(({ path }) => path.startsWith(`${top}/`));
  return isTop ? top : null;
}

export function isOneZip({ files }: Drop): boolean {
  return files.length === 1 && endingOf(files[0]!.path) === 'zip';
}

/** The files with their target names, before conflicts are resolved. */
export function namedFiles(drop: Drop, choices: Pick<UploadChoices, 'dropsTop' | 'takesEnv'>): DroppedFile[] {
  const files = choices.dropsTop ? withoutTopFolder(drop.files) : [...drop.files];
  return choices.takesEnv ? files.filter(({ path }) => path !== dotEnvPath) : files;
}

export function dotEnvOf(drop: Drop, dropsTop: boolean): DroppedFile | null {
  return namedFiles(drop, { dropsTop, takesEnv: false }).find(({ path }) => path === dotEnvPath) ?? null;
}

/** The variables of a .env file. */
export async function variablesOf({ file }: DroppedFile): Promise<Record<string, string>> {
  const entries = parseDotEnv(await file.text()).filter(({ key, fault }) => fault === null && key !== '');
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
}

/** Paths that already exist; `namesIn` returns the names in an existing folder. */
export async function findConflicts(
  files: readonly DroppedFile[],
  namesIn: (folder: string) => Promise<string[]>,
): Promise<Set<string>> {
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  const there = new Set<string>();
  let checked = 0;
  // Parents first: folders inside a missing one aren't checked.
  for (const folder of [...folders].sort((one, other) => one.length - other.length)) {
    if ((folder !== '' && !there.has(folder)) || ++checked > maxFolders) continue;
    for (const name of await namesIn(folder)) there.add(joinPath(folder, name));
  }
  return new Set(files.map(({ path }) => path).filter((path) => there.has(path)));
}

export function settleConflicts(
  files: readonly DroppedFile[],
  conflicts: ReadonlySet<string>,
  how: OnConflict,
): DroppedFile[] {
  if (how === 'replace') return [...files];
  if (how === 'skip') return files.filter(({ path }) => !conflicts.has(path));
  const taken = new Set([...conflicts, ...files.map(({ path }) => path)]);
  return files.map(({ path, file }) => {
    if (!conflicts.has(path)) return { path, file };
    const free = freeName(path, (each) => taken.has(each));
    taken.add(free);
    return { path: free, file };
  });
}

/** Names of sources that seem to contain a token. */
export async function findTokens(files: readonly DroppedFile[]): Promise<string[]> {
  const found: string[] = [];
  for (const { path, file } of files)
    if (sources.has(endingOf(path)) && file.size <= inspectedBytes && tokenIn(await file.text()) !== null)
      found.push(path);
  return found;
}
