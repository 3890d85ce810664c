// Runs test files and reports each test that failed. A file with a failure runs once more, alone: a
// test that passes then is unsteady, which is reported with what it failed of.
import { join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** Files that passed at the second try only. */
  unsteadyFiles: string[];
  /** Tests that failed at the first try, as `file:line name: message`. */
  unsteady: string[];
  /** Tests that failed twice, in the same form. */
  failures: string[];
  /** How long each file took, in milliseconds. */
  durations: Map<string, number>;
}

export interface RunOptions {
  /** At a time. */
  processes: number;
  /** Many files per process, for files that leave nothing behind in theirs; else each file has its
   * own. */
  together?: boolean;
  /** Tests that are left out. */
  except?: RegExp[];
}

interface Try {
  passed: number;
  failed: number;
  skipped: number;
  /** What failed, by file. */
  failures: Map<string, string[]>;
  durations: Map<string, number>;
}

type TestEvent = { type: string; data: { file?: string; nesting?: number; message?: string } };

const importer = join(import.meta.dirname, 'import-files.ts');
/** Few enough to share a start, enough of them to keep all processes busy until the end. */
const groupsPerProcess = 8;
/** What is not over by then hangs: it fails. */
const groupMs = 10 * 60_000;
const filesMs = 120 * 60_000;

/** `files` are paths from the working directory on. */
export async function runFiles(files: string[], options: RunOptions): Promise<Outcome> {
  const { passed, failed, skipped, failures, durations } = await tryFiles(files, options);
  if (failed === 0) return { passed, failed, skipped, unsteadyFiles: [], unsteady: [], failures: [], durations };
  const again = [...failures.keys()];
  console.log(`\n-- once more: ${again.join(' ')}`);
  const second = await tryFiles(again, { ...options, processes: 1, together: false });
  const unsteadyFiles = again.filter((file) => !second.failures.has(file));
  return {
    passed: passed + Math.max(0, failed - second.failed),
    failed: second.failed,
    skipped,
    unsteadyFiles,
    unsteady: unsteadyFiles.flatMap((file) => failures.get(file) ?? []),
    failures: [...second.failures.values()].flat(),
    durations,
  };
}

async function tryFiles(files: string[], { processes, together, except = [] }: RunOptions): Promise<Try> {
  const result: Try = { passed: 0, failed: 0, skipped: 0, failures: new Map(), durations: new Map() };
  const events = new PassThrough({ objectMode: true, highWaterMark: Number.MAX_SAFE_INTEGER });
  const report = events.compose(spec);
  report.pipe(process.stdout, { end: false });
  const testSkipPatterns = except;
  if (together) {
    const waiting = toGroups(files, processes * groupsPerProcess);
    const work = async () => {
      for (let group = waiting.shift(); group; group = waiting.shift()) {
        const signal = AbortSignal.timeout(groupMs);
        const stream = run({ files: [importer], argv: group, testSkipPatterns, signal });
        // As a whole, or the tests of several groups would be printed in between each other.
        for (const event of await count(stream, result, group).toArray()) if (!isTotal(event)) events.write(event);
      }
    };
    await Promise.all(Array.from({ length: processes }, work));
  } else {
    const signal = AbortSignal.timeout(filesMs);
    for await (const event of count(run({ files, concurrency: processes, testSkipPatterns, signal }), result, files))
      if (!isTotal(event)) events.write(event);
  }
  events.end();
  await finished(report, { writable: false });
  return result;
}

/** Adds what a run of `files` says to the result. */
function count(stream: ReturnType<typeof run>, result: Try, files: string[]): ReturnType<typeof run> {
  stream.on('test:summary', ({ file, counts, duration_ms }) => {
    // Summaries come per file and once for all: only the last one counts.
    if (file !== undefined) {
      if (file !== importer) result.durations.set(relative(process.cwd(), file), duration_ms);
      return;
    }
    const skipped = counts.skipped + counts.todo;
    result.passed += counts.passed;
    result.skipped += skipped;
    result.failed += counts.tests - counts.passed - skipped;
  });
  stream.on('test:complete', ({ name, file, nesting, details }) => {
    if (nesting === 0 && file === importer && name !== importer) result.durations.set(name, details.duration_ms);
  });
  stream.on('test:fail', ({ name, file = '', line, details }) => {
    // A process that ended early says of none of its files how they went.
    const paths = file === importer ? files : [relative(process.cwd(), file)];
    const { cause, failureType } = details.error as Error & { failureType?: string };
    const [message] = String(cause instanceof Error ? cause.message : (cause ?? details.error.message)).split('\n');
    for (const path of paths) {
      const found = result.failures.get(path) ?? [];
      result.failures.set(path, found);
      // A test around one that failed says nothing of its own.
      if (failureType !== 'subtestsFailed') found.push(`${path}:${line ?? 1} ${name}: ${message}`);
    }
  });
  return stream;
}

/** The count of one process; the last line of the whole run has all. */
function isTotal({ type, data }: TestEvent): boolean {
  if (type === 'test:summary') return true;
  const isCount = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(data.message ?? '');
  return type === 'test:diagnostic' && data.nesting === 0 && isCount;
}

/** Files of one folder, which often cost alike, come into different groups. */
function toGroups(files: string[], most: number): string[][] {
  const groups = Array.from({ length: Math.min(most, files.length) }, (): string[] => []);
  for (const [index, file] of files.entries()) groups[index % groups.length]?.push(file);
  return groups;
}
