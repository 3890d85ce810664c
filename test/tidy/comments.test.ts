// What comments may say and how long their lines are; the same width for Markdown.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { generated } from './generated.ts';
import { sourceFiles } from './source-files.ts';

const maxColumns = 100;

/** Every file that a comment or a page may name. */
const files = globSync(['**/*', '.*', '.github/**/*'], {
  cwd: checkoutPath(),
  exclude: (path) => /(^|\/)(node_modules|dist|data|\.git)$/.test(path),
});

function isFile(name: string): boolean {
  return files.some((file) => file === name || file.endsWith(`/${name}`));
}

interface Line {
  number: number;
  text: string;
}

/** Lines that are nothing but comment. */
function commentLines(text: string): Line[] {
  let isInside = false;
  return text.split('\n').flatMap((line, at) => {
    const isBlock = isInside || /^\s*(?:\{)?\/\*/.test(line);
    isInside = isBlock && !line.includes('*/');
    return isBlock || /^\s*\/\//.test(line) ? [{ number: at + 1, text: line }] : [];
  });
}

/** Lines of prose: no tables, code, or lines with links. */
function proseLines(text: string): Line[] {
  let isCode = false;
  return text.split('\n').flatMap((line, at) => {
    const isFence = line.trimStart().startsWith('```');
    if (isFence) isCode = !isCode;
    return isCode || isFence || /^\s*\||https?:\/\/|\]\(|^ {4}/.test(line) ? [] : [{ number: at + 1, text: line }];
  });
}

describe('comments', () => {
  test('name only files that exist', () => {
    const faults = sourceFiles.flatMap(({ path, text }) =>
      commentLines(text).flatMap((line) =>
        [...line.text.matchAll(/(?<![\w/.<*-])(?:\.\/)?[\w-][\w/.-]*\.(?:tsx?|md)\b(?![\w*>])/g)]
          .map(([name]) => name.replace(/^\.\//, ''))
          .filter((name) => !isFile(name))
          .map((name) => `${path}:${line.number} ${name}`),
      ),
    );
    assert.deepEqual(faults, []);
  });

  test('in headers forbid nothing: what must not be is a test', () => {
    const faults = sourceFiles
      .filter(({ text }) => /^(?:\/\/.*\n)*\/\/.*\bMust not\b/.test(text))
      .map(({ path }) => path);
    assert.deepEqual(faults, []);
  });

  test(`wrap at ${maxColumns} columns`, () => {
    const faults = sourceFiles.flatMap(({ path, text }) =>
      commentLines(text)
        .filter((line) => line.text.length > maxColumns)
        .map(({ number }) => `${path}:${number}`),
    );
    assert.deepEqual(faults, []);
  });
});

test(`Markdown wraps at ${maxColumns} columns, tables, links and code aside`, () => {
  const faults = files
    .filter((path) => path.endsWith('.md') && !(path in generated))
    .flatMap((path) =>
      proseLines(readFileSync(checkoutPath(path), 'utf8'))
        .filter((line) => line.text.length > maxColumns)
        .map(({ number }) => `${path}:${number}`),
    );
  assert.deepEqual(faults, []);
});
