// The style that neither compiler, linter nor formatter can check: names, sizes, headers, forbidden
// words.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, test } from 'node:test';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';
import { isTest, sourceFiles } from './source-files.ts';

const maxLines = 300;
const maxTestLines = 400;

/** Files that may be longer, with the reason. */
const longFiles: Record<string, string> = {
  'packages/server/src/core/services/bots.ts':
    'every verb on a bot goes through the same two gates: the wish and the plan',
  'packages/server/src/core/logs/line-store.ts': 'append, read and prune share the layout of a chunk',
};

/** Text that must not stand in code, with the reason. */
const forbidden: [RegExp, string][] = [
  [/^export default\b/m, 'a thing has one name, wherever it is used'],
  [/\benum\s+\w+\s*\{/, 'enums are not erasable; use a union of texts'],
  [/(?::|\bas|<)\s*any\b/, '`any` turns the compiler off'],
  [/\bshell:\s*true/, 'a shell turns data into commands'],
  [/\bconstructor\([^)]*\b(?:private|public|protected|readonly)\s/, 'parameter properties are not erasable'],
  [/\bclass \w*(?:Manager|Helper|Utils?|Common)\b/, 'such a name does not say what the thing does'],
  [/\b(?:test|describe|suite|it|t)\.(?:only|skip|todo)\(/, 'a test runs, or is not there'],
];

/** Private words that the field has standard ones for; each with the word to use. */
const retired: [RegExp, string][] = [
  [/\bWish(?:es)?\b|\w+Wish(?:es)?\b|\bwish[A-Z]/, 'it is the desired state: setDesired()'],
  [/\w+Desk\b/, 'name what it does: ImagePreparer, HealthChecker, StdinDispatcher'],
  [/(?:Usage|Flood)Book\b/, 'it is a cache, or a Map'],
  [/\bAgentDoor\b|\bAgentLink\b/, 'it is AgentSocketServer, AgentClient'],
  [/\bRouteGround\b|\bWebGround\b/, 'it is a context, a fixture'],
  [/\b[pP]erformer\b/, 'it is StepExecutor'],
  [/\bWaitRoom\b/, 'they are PendingRequests'],
  [/\bPatient(?:Driver|Connection)\b/, 'it is BusyRetryDriver'],
  [/\breadNow\b/, 'it is readSync'],
  [/\bisTurnedBack\b/, 'it is clockWentBack'],
  [/\bgiveTo\b/, 'it is chownFile'],
  [/\bforeignVersion\b/, 'it is dataVersion'],
  [/\blatePage\b|\bfirstAnswers\b|\btellDone\b/, 'they are lazyPage, prefetched, toastSuccess'],
  [/\bexamineApart\b/, 'it is runDoctorInWorker'],
  [/\b[sS]ervedNames\b/, 'they are CertificateHosts'],
  [/(?<!Content-)\b[a-z]*Disposition\b/, 'it is a LifecycleDecision: decideStart'],
  [/\b[bB]rake|Brakes?\b/, 'output is throttled: OutputThrottle'],
  [/\b(?:judge|no|Fake|is)Floods?\b|\bFlood(?:Look|State|Verdict|Watch)/, 'output is throttled: evaluateThrottle'],
  [/\bknock|\bwaitForEar\b/, 'a connection is probed: waitUntilListening'],
  [/\blookedAt\b/, 'a check has a time: checkedAt'],
  [/\bmost[A-Z]|\bleast[A-Z]|[a-z]Least[A-Z]/, 'bounds are max… and min…'],
  [/\bParts\b/, 'what a class needs is its Deps'],
  [/\b(?:is)?[sS]tray[A-Z]?|removeStray/, 'a container without its bot is an orphan'],
];

function filesWhere(holds: (file: (typeof sourceFiles)[number]) => boolean): string[] {
  return sourceFiles.filter(holds).map((file) => file.path);
}

describe('files', () => {
  test('begin with one to five lines that say what they are responsible for', () => {
    const header = /^(#!.*\n)?(\/\/ \S.*\n){1,5}(?!\/\/)/;
    assert.deepEqual(
      filesWhere((file) => !header.test(file.text)),
      [],
    );
  });

  test('have names in kebab-case', () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.tsx?$/;
    assert.deepEqual(
      filesWhere((file) => !kebab.test(basename(file.path))),
      [],
    );
  });

  test('are no barrels and no drawers for everything', () => {
    const drawer = /(^|\/)(index|.*\b(utils?|helpers?|common|misc|shared|manager))\.(test\.)?tsx?$/;
    assert.deepEqual(
      filesWhere((file) => drawer.test(file.path)),
      [],
    );
    assert.deepEqual(
      filesWhere((file) => /^export (?:type )?(?:\*|\{[^}]*\}) from/m.test(file.text)),
      [],
    );
    const folders = globSync('{packages,test,bench}/**/{utils,util,helpers,common,misc}', {
      cwd: checkoutPath(),
      exclude: (path) => path.includes('node_modules'),
    });
    assert.deepEqual(folders, []);
  });

  test(`have at most ${maxLines} lines, tests ${maxTestLines}`, () => {
    const tooLong = filesWhere(({ path, text }) => {
      const lines = text.trimEnd().split('\n').length;
      return lines > (isTest(path) ? maxTestLines : maxLines) && !(path in longFiles);
    });
    assert.deepEqual(tooLong, [], 'split them, or add them to the exceptions with a reason');
  });

  test('that are exceptions exist and still are too long', () => {
    const stale = Object.keys(longFiles).filter((path) => {
      const file = sourceFiles.find((other) => other.path === path);
      return !file || file.text.trimEnd().split('\n').length <= maxLines;
    });
    assert.deepEqual(stale, []);
  });
});

describe('code', () => {
  for (const [pattern, reason] of forbidden)
    test(`has no ${pattern.source}: ${reason}`, () => {
      assert.deepEqual(
        filesWhere((file) => pattern.test(file.code)),
        [],
      );
    });

  for (const [pattern, reason] of retired)
    test(`has no ${pattern.source}: ${reason}`, () => {
      assert.deepEqual(
        filesWhere((file) => pattern.test(file.code) && file.path !== 'test/tidy/style.test.ts'),
        [],
      );
    });

  test('runs programs without a shell', () => {
    const shell = /import \{[^}]*\bexec(?:Sync)?\b[^}]*\} from 'node:child_process'/;
    assert.deepEqual(
      filesWhere((file) => shell.test(file.text)),
      [],
      'exec hands its text to a shell',
    );
  });

  test('starts programs in these files only', () => {
    const starters = filesWhere(
      ({ path, imports }) =>
        imports.some(({ target, typeOnly }) => target === 'node:child_process' && !typeOnly) &&
        /^packages\/\w+\/src\//.test(path) &&
        !isTest(path),
    );
    assert.deepEqual(starters.toSorted(), [
      'packages/server/src/agent/homes/staging.ts',
      'packages/server/src/cli/setup/caddy-process.ts',
      'packages/server/src/cli/setup/start-engine.ts',
      'packages/server/src/core/lib/program.ts',
    ]);
  });

  test('reads settings in core/config/env.ts only', () => {
    const readers = filesWhere((file) => /\bprocess\.env\b/.test(file.code) && /^packages\/\w+\/src\//.test(file.path));
    assert.deepEqual(readers, ['packages/server/src/core/config/env.ts']);
  });

  test('takes its time from a Clock where tests and the simulation own time', () => {
    const timed =
      /^packages\/server\/src\/(core\/domain|core\/logs|agent\/reconciler|agent\/capture|api\/services|agent\/engine\/fake)\//;
    const own = /\bDate\.now\(|\bsetTimeout\(|\bsetInterval\(|\bnew Date\(\)/;
    assert.deepEqual(
      filesWhere((file) => timed.test(file.path) && !isTest(file.path) && own.test(file.code)),
      [],
    );
  });

  test('has no empty catch', () => {
    assert.deepEqual(
      filesWhere((file) => /\bcatch\s*(\([^)]*\))?\s*\{\s*\}/.test(file.text)),
      [],
    );
  });
});
