// What the papers for people name must exist: commands and their options, files, headings,
// settings, endpoints and bodies.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { settings } from '../../packages/server/src/core/config/env.ts';
import { testHookNames } from '../../packages/server/src/core/config/test-hooks.ts';
import { routes } from '../../packages/server/test/support/all-routes.ts';

const maxReadmeLines = 200;
const someId = '00000000-0000-4000-8000-000000000000';
/** Variables that bots find in their containers; no settings. */
const ofBots = new Set(['BOTEL_BOT_ID', 'BOTEL_BOT_NAME', 'BOTEL_RUN']);
/** Where a path in a paper may begin. */
const roots = ['', 'packages/server/src/', 'packages/web/src/', 'packages/server/test/api/'];

interface Paper {
  path: string;
  text: string;
  /** Contents of code blocks. */
  blocks: string[];
  /** What stands between single backquotes. */
  quoted: string[];
}

const papers: Paper[] = globSync(['*.md', 'docs/**/*.md'], { cwd: checkoutPath() })
  .toSorted()
  .map((path) => {
    const text = readFileSync(checkoutPath(path), 'utf8');
    const blocks = [...text.matchAll(/^```.*\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
    const prose = text.replace(/^```[\s\S]*?^```$/gm, '');
    return { path, text, blocks, quoted: [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code) };
  });

/** Applies `faultsOf` to every paper; each fault is shown with the paper that it is in. */
function faults(faultsOf: (paper: Paper) => string[]): string[] {
  return papers.flatMap((paper) => faultsOf(paper).map((fault) => `${paper.path}: ${fault}`));
}

describe('papers', () => {
  test('are there', () => {
    const names = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'];
    for (const name of [...names, 'docs/glossary.md', 'docs/operations.md'])
      assert.ok(
        papers.some(({ path }) => path === name),
        name,
      );
  });

  test(`README.md has at most ${maxReadmeLines} lines`, () => {
    const readme = papers.find(({ path }) => path === 'README.md');
    assert.ok(readme && readme.text.trimEnd().split('\n').length <= maxReadmeLines);
  });

  test('link to files and headings that exist', () => {
    const broken = faults(({ path, text }) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => link)
        .filter((link) => !/^https?:/.test(link) && !isThere(path, link)),
    );
    assert.deepEqual(broken, []);
  });

  test('name files that exist', () => {
    const path = /^[\w.-]+(\/[\w.-]+)*\/[\w.-]*$|^[\w-]+\.(ts|json|md)$/;
    const ours = /^(packages|images|examples|test|bench|docs|\.ci|core|api|agent|gateway|cli)\//;
    const missing = faults(({ quoted }) =>
      quoted.filter((name) => path.test(name) && (ours.test(name) || name.endsWith('.ts')) && !isFile(name)),
    );
    assert.deepEqual(missing, []);
  });

  test('name settings that exist', () => {
    const known = new Set<string>([...Object.values(settings).map(({ name }) => name), ...testHookNames, ...ofBots]);
    const unknown = faults(({ text }) =>
      [...text.matchAll(/\bBOTEL_[A-Z][A-Z_]*[A-Z]\b/g)].map(([name]) => name).filter((name) => !known.has(name)),
    );
    assert.deepEqual(unknown, []);
  });
});

/** Whether a relative link of a paper leads to a file, and its fragment to a heading. */
function isThere(from: string, link: string): boolean {
  const [file = '', fragment] = link.split('#');
  const target = file === '' ? from : join(dirname(from), file);
  if (!existsSync(checkoutPath(target))) return false;
  if (fragment === undefined) return true;
  const headings = readFileSync(checkoutPath(target), 'utf8').matchAll(/^#+ (.+)$/gm);
  return [...headings].some(([, heading = '']) => anchorOf(heading) === fragment);
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-');
}

/** A path from a root, or a bare name of a file anywhere below them. */
function isFile(name: string): boolean {
  if (roots.some((root) => existsSync(checkoutPath(root + name)))) return true;
  return !name.includes('/') && globSync(`{packages,test}/**/${name}`, { cwd: checkoutPath() }).length > 0;
}

/** Every `./botel …` of the papers as its words, without what another program gets. */
const commandLines: string[][] = papers.flatMap(({ blocks, quoted }) =>
  [...blocks, ...quoted].flatMap((code) =>
    [...code.matchAll(/\.\/botel\b((?:[ \t]+[^\s|;)]+)*)/g)].map(([, rest = '']) => rest.trim().split(/\s+/)),
  ),
);

describe('commands', () => {
  test('exist, with their options', async () => {
    const unknown: string[] = [];
    for (const words of commandLines) if (!(await isCommand(words))) unknown.push(words.join(' '));
    assert.deepEqual(unknown, []);
  });

  test('are seen, and wrong ones refused', async () => {
    assert.ok(commandLines.some((words) => words.join(' ') === 'up --demo'));
    for (const wrong of [['fly'], ['admin', 'fly'], ['up', '--fly'], ['admin', 'user', 'list', '--demo']])
      assert.equal(await isCommand(wrong), false, wrong.join(' '));
  });
});

/** Follows the words down the help of the program. Options of `test` and `bench` are in their
 * descriptions. */
async function isCommand(words: readonly string[]): Promise<boolean> {
  const path: string[] = [];
  let help = await helpOf(path);
  for (const word of words) {
    if (word === '…') return true;
    const commands = [...help.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = '']) => name);
    if (word.startsWith('-')) {
      const described = path.length === 1 ? await helpOf([]) : '';
      const line = described.split('\n').find((each) => each.startsWith(`  ${path[0]} `)) ?? '';
      if (!`${help}${line}`.includes(word)) return false;
    } else if (help.includes('\nCommands:')) {
      if (!commands.includes(word)) return false;
      path.push(word);
      help = await helpOf(path);
    }
  }
  return true;
}

const helps = new Map<string, Promise<string>>();

function helpOf(path: readonly string[]): Promise<string> {
  const key = path.join(' ');
  let help = helps.get(key);
  if (!help) {
    const program = checkoutPath('packages/server/src/main.ts');
    help = promisify(execFile)(process.execPath, [program, ...path, '--help']).then(({ stdout }) => stdout);
    helps.set(key, help);
  }
  return help;
}

interface Call {
  method: string;
  /** Without query. */
  path: string;
  json: string | null;
}

/** Every `curl` of Botel's API in the code blocks. */
const calls: Call[] = papers.flatMap(({ blocks }) =>
  blocks.flatMap((block) =>
    [...block.replaceAll('\\\n', ' ').matchAll(/\bcurl\b[^\n]*/g)].flatMap(([line]) => {
      const path = /http:\/\/127\.0\.0\.1:8080(\/[^\s"'?]*)/.exec(line)?.[1];
      if (path === undefined) return [];
      const json = / -d ((?:'[^']*'|\$\w+)+)/.exec(line)?.[1] ?? null;
      const sends = json !== null || line.includes('--data-binary');
      const method = / -X (\w+)/.exec(line)?.[1] ?? (line.includes(' -T') ? 'PUT' : sends ? 'POST' : 'GET');
      return [{ method, path, json: json?.replaceAll("'", '').replaceAll('$BOT', someId) ?? null }];
    }),
  ),
);

describe('calls of the API', () => {
  test('are seen', () => {
    assert.ok(calls.length >= 4, `${calls.length} calls`);
  });

  for (const { method, path, json } of calls)
    test(`${method} ${path} exists and takes its body`, () => {
      const declaration = routes
        .map((route) => route.declaration)
        .find((each) => each.method === method && each.url.replace(':id', '$BOT') === path);
      assert.ok(declaration, 'there is no such route');
      if (json === null) return;
      const schema = declaration.body as { parse(body: unknown): unknown };
      schema.parse(JSON.parse(json));
    });
});
