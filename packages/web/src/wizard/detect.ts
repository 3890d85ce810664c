// Guesses language and startup command from the names of files, and says by which file. Pure.
import type { BotData } from '@botel/contract/bots';

export interface Guess {
  language: BotData['language'];
  command: string;
  /** The file that it was seen by. */
  because: string;
}

const pythonMains = ['main.py', 'bot.py', 'app.py', 'run.py', '__main__.py'];
const nodeMains = ['index.js', 'bot.js', 'main.js', 'app.js', 'server.js', 'index.mjs', 'src/index.js', 'index.ts'];

/** `paths` of all files; `packageJson` is the text of the one at the top, where there is one. */
export function detect(paths: readonly string[], packageJson: string | null): Guess | null {
  const has = (path: string) => paths.includes(path);
  const first = (names: readonly string[]) => names.find(has);
  const topFile = (ending: string) => paths.find((path) => !path.includes('/') && path.endsWith(ending));
  if (has('package.json'))
    return { language: 'nodejs', command: nodeCommand(packageJson, has), because: 'package.json' };
  if (has('Cargo.toml')) return { language: 'rust', command: 'cargo run --release', because: 'Cargo.toml' };
  if (has('go.mod')) return { language: 'go', command: 'go run .', because: 'go.mod' };
  const python = first(pythonMains) ?? (has('requirements.txt') ? topFile('.py') : undefined);
  if (python) return { language: 'python', command: `python ${python}`, because: python };
  const jar = topFile('.jar');
  if (jar) return { language: 'java', command: `java -jar ${jar}`, because: jar };
  const script = first(nodeMains) ?? topFile('.js');
  if (script) return { language: 'nodejs', command: `node ${script}`, because: script };
  const onlyPython = topFile('.py');
  if (onlyPython) return { language: 'python', command: `python ${onlyPython}`, because: onlyPython };
  const java = topFile('.java');
  return java ? { language: 'java', command: `java ${java}`, because: java } : null;
}

function nodeCommand(packageJson: string | null, has: (path: string) => boolean): string {
  const parsed = parse(packageJson);
  if (typeof parsed.scripts?.start === 'string') return 'npm start';
  if (typeof parsed.main === 'string' && parsed.main !== '') return `node ${parsed.main}`;
  return `node ${nodeMains.find(has) ?? 'index.js'}`;
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

/** A name that a bot may have, out of any text; null when nothing is left. */
export function botName(text: string): string | null {
  const name = text
    .replace(/\.(zip|tar|tar\.gz|tgz)$/, '')
    .replace(notInName, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return name === '' ? null : name;
}

/** What is wrong with a name, in the words of the API; null = nothing. */
export function nameFault(name: string): 'length' | 'characters' | null {
  if (name.length < 1 || name.length > 64) return 'length';
  return /^[A-Za-z0-9_-]+$/.test(name) ? null : 'characters';
}
