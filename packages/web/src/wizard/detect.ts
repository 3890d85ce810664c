// Guesses language and startup command from files, and says why. Pure.
import type { Language } from '@botel/contract/vocabulary';
import type { HostConfig } from './host-config.ts';
import { runnerOf } from './runners.ts';

export interface Guess {
  language: Language;
  command: string;
  /** The file it was detected from. */
  because: string;
  /** Evidence: the file exists, its start script, its main file, or another host's config. */
  why: 'file' | 'script' | 'main' | 'config';
}

/** Each names its language by itself. */
const projectFiles = ['Cargo.toml', 'go.mod'];
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
  if (has('package.json')) return fromPackage(packageJson, has);
  const topFile = (ending: string) => paths.find((path) => !path.includes('/') && path.endsWith(ending));
  // The most telling first: a lone script may only help a project in another language.
  const main =
    projectFiles.find(has) ??
    pythonMains.find(has) ??
    (has('requirements.txt') ? topFile('.py') : undefined) ??
    topFile('.jar') ??
    nodeMains.find(has) ??
    ['.js', '.py', '.java'].map(topFile).find((file) => file !== undefined);
  const runner = main === undefined ? null : runnerOf(main);
  return main !== undefined && runner ? { ...runner, because: main, why: 'file' } : null;
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
