// Runs test files and tells of each test that failed. A file with a failure is run once more, alone: a test that passes then
// does not fail the run, but is told of as unsteady, with what it failed of.
import { relative } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** Tests that failed at the first try, as `file:line name: message`. */
  unsteady: string[];
  /** Tests that failed twice, in the same form. */
  failures: string[];
}

interface Try {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed, by file. */
  failures: Map<string, string[]>;
}

/** `files` are paths from the working directory on; up to `concurrency` run at a time. */
export async function runFiles(files: string[], concurrency: number): Promise<Outcome> {
  const { passed, failed, skipped, failures } = await tryFiles(files, concurrency);
  if (failed === 0) return { passed, failed, skipped, unsteady: [], failures: [] };
  const again = [...failures.keys()];
  console.log(`\n-- once more: ${again.join(' ')}`);
  const second = await tryFiles(again, 1);
  const isUnsteady = (file: string) => !second.failures.has(file);
  return {
    passed: passed + Math.max(0, failed - second.failed),
    failed: second.failed,
    skipped,
    unsteady: again.filter(isUnsteady).flatMap((file) => failures.get(file) ?? []),
    failures: [...second.failures.values()].flat(),
  };
}

async function tryFiles(files: string[], concurrency: number): Promise<Try> {
  const result: Try = { passed: 0, failed: 0, skipped: 0, failures: new Map() };
  const stream = run({ files, concurrency });
  stream.on('test:summary', ({ file, counts }) => {
    // Summaries come per file and once for all: only the last one counts.
    if (file !== undefined) return;
    result.passed = counts.passed;
    result.skipped = counts.skipped + counts.todo;
    result.failed = counts.tests - counts.passed - result.skipped;
  });
  stream.on('test:fail', ({ name, file = '', line, details }) => {
    const path = relative(process.cwd(), file);
    const told = result.failures.get(path) ?? [];
    result.failures.set(path, told);
    const { cause, failureType } = details.error as Error & { failureType?: string };
    // A test around one that failed says nothing of its own.
    if (failureType === 'subtestsFailed') return;
    const [message] = String(cause instanceof Error ? cause.message : (cause ?? details.error.message)).split('\n');
    told.push(`${path}:${line ?? 1} ${name}: ${message}`);
  });
  const report = stream.compose(spec);
  report.pipe(process.stdout, { end: false });
  await finished(report, { writable: false });
  return result;
}
