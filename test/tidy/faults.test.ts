// The fault matrix and the failpoints are what they say they are: every row is there, every test
// that is named exists, and every failpoint of the table stands at one place in the code.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { failpoints } from '../../packages/server/src/core/config/failpoints.ts';
import { requirements } from '../faults/requirements.ts';
import { rows } from '../faults/rows.ts';
import { longTests } from '../long-tests.ts';
import { isTest, sourceFiles } from './source-files.ts';

/**
 * Names of the tests of a file; one in a template once for each word of the file that may stand in
 * it.
 */
function testNames(file: string): string[] {
  const text = readFileSync(checkoutPath(file), 'utf8');
  const words = [...text.matchAll(/'([^'\n]*)'|\b(\d+)\b/g)].map(([, word, number]) => word ?? number ?? '');
  const calls = text.matchAll(/\b(?:test|describe)\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"([^"\n]*)"|`([^`]*)`)/g);
  return [...calls].flatMap(([, single, double, template]) => {
    const name = single ?? double ?? template ?? '';
    return name.includes('${') ? words.map((word) => name.replace(/\$\{[^}]*\}/, word)) : [name];
  });
}

/** `/^a (b|c)/` as `/^a (b)/` and `/^a (c)/`: each of them must name a test. */
function alternatives({ source }: RegExp): RegExp[] {
  const [, before = '', inside = source, after = ''] = /^([^(]*\()([^)]*)(\).*)$/.exec(source) ?? [];
  return inside.split('|').map((one) => new RegExp(before + one + after));
}

/** Patterns that name no test of their file. */
function emptyPatterns(entries: readonly { file: string; name?: RegExp }[]): string[] {
  return entries.flatMap(({ file, name }) => {
    if (!name) return [];
    const names = testNames(file);
    const empty = alternatives(name).filter((pattern) => !names.some((each) => pattern.test(each)));
    return empty.map((pattern) => `${file}: ${pattern.source}`);
  });
}

describe('the fault matrix', () => {
  test('has each row once, in order', () => {
    assert.deepEqual(
      rows.map(({ row }) => row),
      Array.from({ length: 39 }, (_, index) => index + 1),
    );
  });

  test('names tests that are there, and says why where there are none', () => {
    for (const { row, proofs, missing } of rows) {
      for (const { file } of proofs) assert.ok(existsSync(checkoutPath(file)), `row ${row}: ${file}`);
      assert.ok(proofs.length > 0 || missing, `row ${row} has neither a test nor a reason`);
    }
    assert.deepEqual(emptyPatterns(rows.flatMap(({ proofs }) => proofs)), []);
  });
});

test('tests that only `--all` runs are there', () => {
  for (const { file } of longTests) assert.ok(existsSync(checkoutPath(file)), file);
  assert.deepEqual(emptyPatterns(longTests), []);
});

test('the 40 requirements name tests and rows that are there, or say why not', () => {
  assert.equal(requirements.length, 40);
  for (const { requirement, rows: faults = [], tests = [], note } of requirements) {
    for (const file of tests) assert.ok(existsSync(checkoutPath(file)), `${requirement}: ${file}`);
    for (const number of faults)
      assert.ok(
        rows.some(({ row }) => row === number),
        `${requirement}: row ${number}`,
      );
    assert.ok(faults.length + tests.length > 0 || note, requirement);
  }
});

test('every failpoint of the table stands at one place', () => {
  const code = sourceFiles.filter(({ path }) => !isTest(path) && path.startsWith('packages/server/src/'));
  for (const name of failpoints) {
    const place = /^(before|after)\./.test(name)
      ? `failpoint(\`${name.split('.')[0]}.\${step.kind}\`)`
      : `failpoint('${name}')`;
    const places = code.filter(({ text }) => text.includes(place)).map(({ path }) => path);
    assert.equal(places.length, 1, `${name} stands in ${places.join(', ') || 'no file'}`);
  }
  const named = code.flatMap(({ text }) => [...text.matchAll(/failpoint\('([^']+)'\)/g)].map(([, name]) => name));
  assert.deepEqual(
    named.filter((name) => !failpoints.includes(name ?? '')),
    [],
    'a failpoint is not in the table',
  );
});
