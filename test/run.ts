// `./botel test`: every phase of tests on a bare machine, in the order of their cost; prepares what they need (engine,
// runtime images) and ends with what failed and one line of totals. `--only a,b` runs some of the
// phases, `--faults` the fault matrix.
import { spawn } from 'node:child_process';
import { glob } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { languages } from '@botel/contract/vocabulary';
import { sandboxName } from '../packages/server/src/cli/setup/sandbox.ts';
import { checkoutPath } from '../packages/server/src/core/lib/checkout.ts';
import { type Outcome, runFiles } from './run-files.ts';

interface Phase {
  name: string;
  /** Patterns of test files, from the checkout on. */
  files: string[];
  /** Programs that must end with 0 first. */
  programs?: [string, ...string[]][];
  /** Brings the machine into the state that the tests need. */
  prepare?(): Promise<void>;
  concurrency: number;
  /** Runs instead of files; resolves with what passed and failed. */
  instead?(): Promise<{ ok: number; failed: number }>;
}

const phases: Phase[] = [
  {
    name: 'tidy',
    programs: [
      ['node_modules/.bin/tsc', '-p', '.'],
      ['node_modules/.bin/tsc', '-p', 'packages/web'],
      ['node_modules/.bin/oxlint', '--quiet'],
      ['node_modules/.bin/biome', 'format'],
    ],
    files: ['test/tidy/**/*.test.ts'],
    concurrency: 2,
  },
  { name: 'unit', files: ['packages/*/src/**/*.test.ts'], concurrency: 2 },
  {
    name: 'api',
    files: [
      'packages/server/test/api/**/*.test.ts',
      'packages/server/test/gateway/**/*.test.ts',
      'test/attacks/**/*.test.ts',
    ],
    concurrency: 2,
  },
  {
    name: 'contract',
    files: ['packages/server/test/engine-contract/**/*.test.ts', 'packages/server/test/capture/**/*.test.ts'],
    concurrency: 2,
  },
  { name: 'browser', files: ['test/browser/**/*.test.ts'], prepare: prepareChromium, concurrency: 1 },
  { name: 'sim', files: ['packages/server/test/simulation/**/*.test.ts'], concurrency: 1 },
  { name: 'docker', files: ['test/docker/**/*.test.ts'], prepare: prepareEngine, concurrency: 1 },
  { name: 'faults', files: [], instead: runShortMatrix, prepare: prepareEngine, concurrency: 1 },
];

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    faults: { type: 'boolean' },
    runtime: { type: 'string' },
    rows: { type: 'string' },
    json: { type: 'string' },
  },
});
const chosen = values.only?.split(',') ?? phases.map((phase) => phase.name);
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
if (values.faults) process.exit(await runWholeMatrix());
const totals: Outcome = { passed: 0, failed: 0, skipped: 0, unsteady: [], failures: [] };
if (values.runtime !== undefined) await runInSandbox(values.runtime);
else for (const phase of phases) if (chosen.includes(phase.name)) await runPhase(phase);
for (const test of totals.unsteady) console.log(`unsteady (passed at the second try): ${test}`);
for (const test of totals.failures) console.log(`FAILED: ${test}`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
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
  const files = (await Array.fromAsync(glob(phase.files))).sort();
  if (files.length > 0) add(await runFiles(files, phase.concurrency));
  console.log(`== ${phase.name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
}

function fail(reason: string): void {
  totals.failed++;
  totals.failures.push(reason);
}

function add(outcome: Outcome): void {
  totals.passed += outcome.passed;
  totals.failed += outcome.failed;
  totals.skipped += outcome.skipped;
  totals.unsteady.push(...outcome.unsteady);
  totals.failures.push(...outcome.failures);
}

/** Files with real containers whose tests neither need a network nor look into control groups from inside. */
async function runInSandbox(runtime: string): Promise<void> {
  await prepareEngine();
  const { openSandboxEngine } = await import('./docker/sandbox-engine.ts');
  if (runtime !== sandboxName) throw new Error(`botel test: --runtime must be ${sandboxName}`);
  await using engine = await openSandboxEngine([...languages]);
  process.env.DOCKER_HOST = engine.host;
  process.env.TEST_CONTAINER_RUNTIME = runtime;
  const names = ['ends', 'environment', 'input', 'lifecycle', 'signals'];
  const files = names.map((name) => `test/docker/${name}.test.ts`);
  await runPhase({ name: `docker in ${runtime}`, files, concurrency: 1 });
}

function succeeds([program, ...options]: [string, ...string[]]): Promise<boolean> {
  console.log(`-- ${program.split('/').at(-1)}`);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const child = spawn(program, options, { stdio: 'inherit' });
  child.once('error', () => resolve(false));
  child.once('close', (code) => resolve(code === 0));
  return promise;
}

/** `--faults`: all rows of the fault matrix, or those of `--rows 1,12`; resolves with the exit code. */
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

/** The rows of the fault matrix that take seconds. */
async function runShortMatrix(): Promise<{ ok: number; failed: number }> {
  const { runMatrix } = await import('./faults/matrix.ts');
  return runMatrix({ wanted: (row) => row.short === true });
}

/** A browser; the launcher has built the dashboard. */
async function prepareChromium(): Promise<void> {
  const { prepareBrowser } = await import('./browser/prepare.ts');
  await prepareBrowser();
}

/** An engine that answers, and the five runtime images. */
async function prepareEngine(): Promise<void> {
  const { prepareForTests } = await import('./docker/prepare.ts');
  await prepareForTests();
}
