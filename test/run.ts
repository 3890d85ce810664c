// `./botel test`: every phase of tests on a bare machine, in the order of their cost; prepares what
// they need (engine, runtime images) and ends with what failed and one line of totals. `--quick`
// runs what needs no server, browser or engine, `--only a,b` some of the phases, `--faults` the
// fault matrix, `--all` also what takes long (long-tests.ts).
import { spawn } from 'node:child_process';
import { glob } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { languages } from '@botel/contract/vocabulary';
import { sandboxName } from '../packages/server/src/cli/setup/sandbox.ts';
import { checkoutPath } from '../packages/server/src/core/lib/checkout.ts';
import { type LongTest, longTests } from './long-tests.ts';
import { type Outcome, runFiles } from './run-files.ts';

interface Phase {
  name: string;
  /** Patterns of test files, from the checkout on. */
  files: string[];
  /** Programs that must end with 0 first. */
  programs?: [string, ...string[]][];
  /** Patterns of files among them that belong to another phase. */
  except?: string[];
  /** Brings the machine into the state that the tests need. */
  prepare?(): Promise<void>;
  /** At a time; one where the tests measure, or change what others use. */
  processes: number;
  /** Many files per process. */
  together?: boolean;
  /** Of the files, those that measure: they run one by one, after the others. */
  alone?: string[];
  /** Runs instead of files; resolves with what passed and failed. */
  instead?(): Promise<{ ok: number; failed: number }>;
}

const homes = 'packages/server/src/agent/homes/**/*.test.ts';
const phases: Phase[] = [
  {
    name: 'tidy',
    programs: [
      ['node_modules/.bin/tsc', '-p', '.'],
      ['node_modules/.bin/tsc', '-p', 'packages/web'],
      ['node_modules/.bin/oxlint', '--quiet'],
      ['node_modules/.bin/biome', 'format'],
      ['node_modules/.bin/knip', '--no-progress', '--no-config-hints', '--cache'],
    ],
    files: ['test/tidy/**/*.test.ts'],
    processes: 2,
  },
  { name: 'unit', files: ['packages/*/src/**/*.test.ts'], except: [homes], processes: 2, together: true },
  // Unit tests that work on real disks, images and mounts: a minute for a few hundred files.
  { name: 'homes', files: [homes], processes: 2, together: true },
  {
    name: 'api',
    files: [
      'packages/server/test/api/**/*.test.ts',
      'packages/server/test/gateway/**/*.test.ts',
      'test/attacks/**/*.test.ts',
    ],
    processes: 2,
    together: true,
  },
  {
    name: 'contract',
    files: ['packages/server/test/engine-contract/**/*.test.ts', 'packages/server/test/capture/**/*.test.ts'],
    processes: 2,
  },
  { name: 'browser', files: ['test/browser/**/*.test.ts'], prepare: prepareChromium, processes: 2 },
  { name: 'sim', files: ['packages/server/test/simulation/**/*.test.ts'], processes: 2 },
  {
    name: 'docker',
    files: ['test/docker/**/*.test.ts'],
    prepare: prepareEngine,
    // A build of an example takes both cores, and beside it tests miss their deadlines.
    processes: 1,
    alone: ['crash-loops', 'gateway-web', 'limits', 'logs-exact', 'neighbours', 'output-throttle', 'systemd'].map(
      (name) => `test/docker/${name}.test.ts`,
    ),
  },
  { name: 'faults', files: [], instead: runShortMatrix, prepare: prepareEngine, processes: 1 },
];

/** One may be an accident of the machine; more are races, in tests or in Botel. */
const maxUnsteadyFiles = 1;
const slowestShown = 20;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean' },
    all: { type: 'boolean' },
    faults: { type: 'boolean' },
    runtime: { type: 'string' },
    rows: { type: 'string' },
    json: { type: 'string' },
  },
});
const quick = ['tidy', 'unit', 'contract'];
const chosen = values.only?.split(',') ?? (values.quick ? quick : phases.map((phase) => phase.name));
const unknown = chosen.filter((name) => !phases.some((phase) => phase.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `botel test: no such phase: ${unknown.join(', ')}; there are ${phases.map((phase) => phase.name).join(', ')}\n`,
  );
  process.exit(2);
}

process.chdir(checkoutPath());
// Tests never ask a registry; they make their images on the machine.
process.env.BOTEL_IMAGE_SOURCE = 'build';
// Tests that count then do so to the end: kills at every moment, histories, the rows of the matrix.
if (values.all) process.env.FAULTS_LONG = '1';
if (values.faults) process.exit(await runWholeMatrix());
const totals: Outcome = {
  passed: 0,
  failed: 0,
  skipped: 0,
  unsteadyFiles: [],
  unsteady: [],
  failures: [],
  durations: new Map(),
};
const seconds: string[] = [];
const leftOut: LongTest[] = [];
if (values.runtime !== undefined) await runInSandbox(values.runtime);
else for (const phase of phases) if (chosen.includes(phase.name)) await runPhase(phase);
for (const { file, name, reason } of leftOut)
  console.log(`left out (--all runs it): ${file}${name ? ` ${name.source}` : ''}: ${reason}`);
for (const test of totals.unsteady) console.log(`unsteady (passed at the second try): ${test}`);
if (totals.unsteadyFiles.length > maxUnsteadyFiles)
  fail(`${totals.unsteadyFiles.length} files needed a second try: ${totals.unsteadyFiles.join(' ')}`);
for (const test of totals.failures) console.log(`FAILED: ${test}`);
const slowest = [...totals.durations].sort(([, a], [, b]) => b - a).slice(0, slowestShown);
for (const [file, ms] of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`);
console.log(`\n${seconds.join(', ')}`);
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(totals.failed === 0 && totals.passed > 0 ? 0 : 1);

async function runPhase(phase: Phase): Promise<void> {
  const began = performance.now();
  console.log(`\n== ${phase.name}`);
  for (const program of phase.programs ?? []) {
    if (await succeeds(program)) totals.passed++;
    else fail(program.join(' '));
  }
  try {
    await phase.prepare?.();
  } catch (error) {
    fail(`The phase ${phase.name} could not be prepared: ${(error as Error).message}`);
    return;
  }
  const matrix = await phase.instead?.();
  totals.passed += matrix?.ok ?? 0;
  for (let rows = matrix?.failed ?? 0; rows > 0; rows--) fail('a row of the fault matrix, see above');
  await runTests(phase);
  seconds.push(`${phase.name} ${((performance.now() - began) / 1000).toFixed(1)} s`);
  console.log(`== ${seconds.at(-1)}`);
}

async function runTests({
  files: patterns,
  except: others = [],
  processes,
  together,
  alone = [],
}: Phase): Promise<void> {
  const found = (await Array.fromAsync(glob(patterns, { exclude: others }))).sort();
  const long = values.all ? [] : longTests.filter(({ file }) => found.includes(file));
  leftOut.push(...long);
  const files = found.filter((path) => !long.some(({ file, name }) => file === path && !name));
  const except = long.flatMap(({ name }) => name ?? []);
  const beside = files.filter((file) => !alone.includes(file));
  const measuring = files.filter((file) => alone.includes(file));
  if (beside.length > 0) add(await runFiles(beside, { processes, except, ...(together && { together }) }));
  if (measuring.length > 0) add(await runFiles(measuring, { processes: 1, except }));
}

function fail(reason: string): void {
  totals.failed++;
  totals.failures.push(reason);
}

function add(outcome: Outcome): void {
  totals.passed += outcome.passed;
  totals.failed += outcome.failed;
  totals.skipped += outcome.skipped;
  totals.unsteadyFiles.push(...outcome.unsteadyFiles);
  totals.unsteady.push(...outcome.unsteady);
  totals.failures.push(...outcome.failures);
  for (const [file, ms] of outcome.durations) totals.durations.set(file, ms);
}

/** Files with real containers whose tests neither need a network nor look into control groups from
 * inside. */
async function runInSandbox(runtime: string): Promise<void> {
  await prepareEngine();
  const { openSandboxEngine } = await import('./docker/sandbox-engine.ts');
  if (runtime !== sandboxName) throw new Error(`botel test: --runtime must be ${sandboxName}`);
  await using engine = await openSandboxEngine([...languages]);
  process.env.DOCKER_HOST = engine.host;
  process.env.TEST_CONTAINER_RUNTIME = runtime;
  const names = ['ends', 'environment', 'input', 'lifecycle', 'signals'];
  const files = names.map((name) => `test/docker/${name}.test.ts`);
  await runPhase({ name: `docker in ${runtime}`, files, processes: 1 });
}

function succeeds([program, ...options]: [string, ...string[]]): Promise<boolean> {
  console.log(`-- ${program.split('/').at(-1)}`);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, options, { stdio: 'inherit' });
  child.once('error', () => resolve(false));
  child.once('close', (code) => resolve(code === 0));
  return promise;
}

/** `--faults`: all rows of the fault matrix, or those of `--rows 1,12`; resolves with the exit
 * code. */
async function runWholeMatrix(): Promise<number> {
  await prepareEngine();
  // Tests that count do so to the number of the matrix.
  process.env.FAULTS_LONG = '1';
  const { runMatrix } = await import('./faults/matrix.ts');
  const numbers = values.rows?.split(',').map(Number);
  const wanted = numbers && ((row: { row: number }) => numbers.includes(row.row));
  const { failed } = await runMatrix({ wanted, json: values.json });
  return failed === 0 ? 0 : 1;
}

/** The rows of the fault matrix that take seconds; with `--all` every row. */
async function runShortMatrix(): Promise<{ ok: number; failed: number }> {
  const { runMatrix } = await import('./faults/matrix.ts');
  if (!values.all) return runMatrix({ wanted: (row) => row.short === true });
  process.env.FAULTS_LONG = '1';
  return runMatrix({});
}

/** A browser; the launcher has built the dashboard. */
async function prepareChromium(): Promise<void> {
  const { prepareBrowser } = await import('./browser/prepare.ts');
  await prepareBrowser();
}

/** An engine that answers, and a runtime image of each language. */
async function prepareEngine(): Promise<void> {
  const { prepareForTests } = await import('./docker/prepare.ts');
  await prepareForTests();
}
