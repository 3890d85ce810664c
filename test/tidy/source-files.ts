// The source files of the repository and what they import, for the tests of structure. Reads text
// only: knows the few forms of import that the formatter leaves, not the language.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';

/** One import. `target` is a path from the checkout on, or the name of a package (`node:fs`,
 * `zod`). */
export interface SourceImport {
  target: string;
  /** Nothing of it is there at run time. */
  typeOnly: boolean;
}

/** A file; `path` is from the checkout on. */
export interface SourceFile {
  path: string;
  text: string;
  /** The text without comments and without what stands inside of quotes. */
  code: string;
  imports: SourceImport[];
}

const patterns = ['packages/*/src/**/*.{ts,tsx}', 'packages/*/test/**/*.{ts,tsx}', 'test/**/*.ts', 'bench/**/*.ts'];

/** Every source file, sorted by path. */
export const sourceFiles: readonly SourceFile[] = globSync(patterns, { cwd: checkoutPath() })
  .toSorted()
  .map((path) => {
    const text = readFileSync(checkoutPath(path), 'utf8');
    return { path, text, code: codeOf(text), imports: importsOf(path, text) };
  });

/** Whether a file is a test or serves tests only. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || /^(packages\/[^/]+\/)?test\//.test(path) || path.endsWith('-fixture.ts');
}

function codeOf(text: string): string {
  const commentsAndTexts = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;
  return text.replace(commentsAndTexts, (found) => (found.startsWith('/') ? '' : '""'));
}

function importsOf(path: string, text: string): SourceImport[] {
  const found: SourceImport[] = [];
  const named = /^(?:import|export) (type )?(\{[^}]*\}|[\w$*, ]+(?:\{[^}]*\})?) from '([^'\n]+)'/gm;
  for (const [, type, names = '', specifier = ''] of text.matchAll(named))
    found.push({ target: targetOf(path, specifier), typeOnly: type !== undefined || namesTypesOnly(names) });
  for (const [, specifier = ''] of text.matchAll(/^import '([^'\n]+)'/gm))
    found.push({ target: targetOf(path, specifier), typeOnly: false });
  for (const [, specifier = ''] of text.matchAll(/\bimport\('([^'\n]+)'\)/g))
    found.push({ target: targetOf(path, specifier), typeOnly: false });
  return found;
}

/** `{ type A, type B }`: an import that leaves nothing behind. */
function namesTypesOnly(names: string): boolean {
  const inBraces = /^\{([^}]*)\}$/.exec(names.trim())?.[1];
  const each = inBraces?.split(',').filter((name) => name.trim() !== '') ?? [];
  return each.length > 0 && each.every((name) => name.trim().startsWith('type '));
}

function targetOf(path: string, specifier: string): string {
  if (specifier.startsWith('@botel/')) return specifier.replace(/^@botel\/([^/]+)\/(.+)$/, 'packages/$1/src/$2.ts');
  return specifier.startsWith('.') ? join(dirname(path), specifier) : specifier;
}
