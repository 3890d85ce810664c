// Documents that must say what the code says: generated files, the table of errors, settings in the
// examples.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { errorCodes } from '@botel/contract/vocabulary';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { type BotelError, fail } from '../../packages/server/src/core/domain/errors.ts';
import { statusOfCode } from '../../packages/server/src/core/http/error-reply.ts';
import { generated } from './generated.ts';

function read(path: string): string {
  return readFileSync(checkoutPath(path), 'utf8');
}

describe('generated files', () => {
  for (const [path, make] of Object.entries(generated))
    test(`${path} is what the code makes of it`, async () => {
      const hint = `${path} is out of date: run npm run generate`;
      assert.equal(read(path), await make(), hint);
    });
});

interface Row {
  code: string;
  status: number;
  text: string;
}

/** Rows of the table: code, status, text, when. */
function errorRows(): Row[] {
  const rows = read('docs/errors.md').matchAll(/^\| `(\w+)` \| (\d{3}) \| (.+?) \| .+ \|$/gm);
  return [...rows].map(([, code = '', status = '', text = '']) => ({ code, status: Number(status), text }));
}

describe('docs/errors.md', () => {
  test('has every code once, in the order of the vocabulary', () => {
    assert.deepEqual(
      errorRows().map((row) => row.code),
      [...errorCodes],
    );
  });

  test('has the statuses of core/http/error-reply.ts', () => {
    assert.deepEqual(Object.fromEntries(errorRows().map((row) => [row.code, row.status])), statusOfCode);
  });

  test('has the text of every error, with <names> for what changes', () => {
    const texts = new Map(errorRows().map((row) => [row.code, row.text]));
    const conflicts = errorCodes.filter((code) => /^bot_(already|stopping|not_off)/.test(code)) as Parameters<
      typeof fail.conflict
    >[0][];
    const { conflict, ...makers } = fail;
    const made: BotelError[] = conflicts.map((code) => conflict(code));
    for (const make of Object.values(makers)) {
      const placeholders = parametersOf(make).map((name) => `<${name}>`);
      made.push((make as (...values: string[]) => BotelError)(...placeholders));
    }
    for (const { code, message } of made) {
      // What stands for a value may have a better name in the document.
      const pattern = message.split(/<\w+>/).map(RegExp.escape).join('<[\\w .]+>');
      assert.match(texts.get(code) ?? '', new RegExp(`\`${pattern}\``), code);
    }
  });
});

function parametersOf(make: (...values: never[]) => unknown): string[] {
  const list = /^\(([^)]*)\)/.exec(String(make))?.[1] ?? '';
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
