// Runs the rows of the fault matrix and prints one line per fault: injected, expected, seen.
// `./botel test --faults` runs all of them, `--rows 1,12` some, `--json <file>` also writes the
// results.
import { writeFile } from 'node:fs/promises';
import { run } from 'node:test';
import { type Proof, type Row, rows } from './rows.ts';

export interface MatrixOptions {
  /** Only these; all when left out. */
  wanted?: (row: Row) => boolean;
  /** Where the results go, as JSON. */
  json?: string;
}

interface Seen {
  passed: number;
  /** The test that took longest. */
  longest: { test: string; seconds: number };
  failures: string[];
  /** What tests told of themselves: figures. */
  figures: string[];
}

type Result = Omit<Row, 'proofs' | 'short'> & Seen & { outcome: 'ok' | 'FAILED' | 'not shown here'; seconds: number };

/** Resolves with the numbers of rows that went well and of those that did not. */
export async function runMatrix({ wanted = () => true, json }: MatrixOptions): Promise<{ ok: number; failed: number }> {
  const results: Result[] = [];
  for (const row of rows.filter(wanted)) {
    const result = await runRow(row);
    results.push(result);
    print(result);
  }
  if (json) await writeFile(json, `${JSON.stringify(results, null, 2)}\n`);
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length;
  const minutes = results.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  console.log(`\n${minutes.toFixed(1)} minutes`);
  console.log(`${count('ok')} ok, ${count('FAILED')} FAILED, ${count('not shown here')} not shown here`);
  return { ok: count('ok'), failed: count('FAILED') };
}

async function runRow({ proofs, short: _, ...row }: Row): Promise<Result> {
  const began = performance.now();
  const seen: Seen = { passed: 0, longest: { test: '', seconds: 0 }, failures: [], figures: [] };
  for (const proof of proofs) await runProof(proof, seen);
  const outcome = proofs.length === 0 ? 'not shown here' : seen.failures.length === 0 ? 'ok' : 'FAILED';
  return { ...row, outcome, ...seen, seconds: Math.round((performance.now() - began) / 1000) };
}

async function runProof({ file, name }: Proof, seen: Seen): Promise<void> {
  const before = seen.passed + seen.failures.length;
  const stream = run({ files: [file], concurrency: 1, ...(name && { testNamePatterns: [name] }) });
  stream.on('test:pass', ({ skip, details, name: test }) => {
    if (skip !== undefined || details.type === 'suite' || test === file) return;
    seen.passed++;
    const seconds = Math.round(details.duration_ms / 100) / 10;
    if (seconds >= seen.longest.seconds) seen.longest = { test, seconds };
  });
  stream.on('test:fail', ({ details, name: test }) => {
    if (details.type !== 'suite') seen.failures.push(`${test}: ${details.error.cause ?? details.error.message}`);
  });
  stream.on('test:diagnostic', ({ message }) => {
    if (!/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(message)) seen.figures.push(message);
  });
  await stream.resume().toArray();
  if (seen.passed + seen.failures.length === before) seen.failures.push(`${file} has no test ${name ?? ''}`);
}

function print(result: Result): void {
  const { row, injected, expected, outcome, passed, longest, failures, figures, missing, seconds } = result;
  console.log(`\n${String(row).padStart(2)}  ${outcome.padEnd(14)}  ${injected}`);
  console.log(`    expected: ${expected}`);
  if (passed > 0)
    console.log(
      `    seen: ${passed} tests passed in ${seconds} s, the longest in ${longest.seconds} s: ${longest.test}`,
    );
  for (const figure of figures) console.log(`    figure: ${figure}`);
  for (const failure of failures) console.log(`    FAILED: ${failure}`);
  if (missing) console.log(`    not shown: ${missing}`);
}
