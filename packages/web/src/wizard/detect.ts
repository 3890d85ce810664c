// Guesses language and startup command from files, and says why. Pure.
import type { BotData } from '@botel/contract/bots';
import { type HostConfig, runnerOf } from './host-config.ts';

export interface Guess {
  language: BotData['language'];
  command: string;
  /** The file it was detected from. */
  because: string;
  /** Evidence: the file exists, its start script, its main file, or another host's config. */
  why: 'file' | 'script' | 'main' | 'config';
}

const pythonMains = ['main.py', 'bot.py', 'app.py', 'run.py', '__main__.py'];
const nodeMains = ['index.js', 'bot.js', 'main.js', 'app.js', 'server.js', 'index.mjs', 'src/index.js', 'index.ts'];

/**
 * `paths` of all files; `packageJson` is the text of the one at the top, `config` what another host
 * was told; null where there is none.
 */
export function detect(
  paths: readonly string[],
  packageJson: string | null,
  config: HostConfig | null = null,
): Guess | null {
  const guess = fromFiles(paths, packageJson);
  if (!config) return guess;
  const { main, command, file } = config;
  const runner = main !== null && paths.includes(main) ? runnerOf(main) : null;
  const language = runner?.language ?? guess?.language;
  const configured = command ?? runner?.command;
  return language && configured ? { language, command: configured, because: file, why: 'config' } : guess;
}

function fromFiles(paths: readonly string[], packageJson: string | null): Guess | null {
  const has = (path: string) => paths.includes(path);
  const first = (names: readonly string[]) => names.find(has);
  const topFile = (ending: string) => paths.find((path) => !path.includes('/') && path.endsWith(ending));
  const seen = (language: Guess['language'], command: string, because: string): Guess => ({
    language,
    command,
    because,
    why: 'file',
  });
  if (has('package.json')) return fromPackage(packageJson, has);
  if (has('Cargo.toml')) return seen('rust', 'cargo run --release', 'Cargo.toml');
  if (has('go.mod')) return seen('go', 'go run .', 'go.mod');
  const python = first(pythonMains) ?? (has('requirements.txt') ? topFile('.py') : undefined);
  if (python) return seen('python', `python ${python}`, python);
  const jar = topFile('.jar');
  if (jar) return seen('java', `java -jar ${jar}`, jar);
  const script = first(nodeMains) ?? topFile('.js');
  if (script) return seen('nodejs', `node ${script}`, script);
  const onlyPython = topFile('.py');
  if (onlyPython) return seen('python', `python ${onlyPython}`, onlyPython);
  const java = topFile('.java');
  return java ? seen('java', `java ${java}`, java) : null;
}

function fromPackage(text: string | null, has: (path: string) => boolean): Guess {
  const parsed = parse(text);
  const because = 'package.json';
  if (typeof parsed.scripts?.start === 'string')
    return { language: 'nodejs', command: 'npm start', because, why: 'script' };
  if (typeof parsed.main === 'string' && parsed.main !== '')
    return { language: 'nodejs', command: `node ${parsed.main}`, because, why: 'main' };
  const main = nodeMains.find(has) ?? 'index.js';
  return { language: 'nodejs', command: `node ${main}`, because: has(main) ? main : because, why: 'file' };
}

function parse(text: string | null): { main?: unknown; scripts?: { start?: unknown } } {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const notInName = /[^A-Za-z0-9_-]+/g;

/** A valid bot name derived from any text; null if nothing is left. */
export function botName(text: string): string | null {
  const name = text
    .replace(/\.(zip|tar|tar\.gz|tgz)$/, '')
    .replace(notInName, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return name === '' ? null : name;
}

/** The API's error for a name; null = valid. */
export function nameFault(name: string): 'length' | 'characters' | null {
  if (name.length < 1 || name.length > 64) return 'length';
  return /^[A-Za-z0-9_-]+$/.test(name) ? null : 'characters';
}
