// The build of each kind of project, and that nothing is built without need.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Language } from '@botel/contract/vocabulary';
import { buildPlan } from './build-plan.ts';

function plan(
  language: Language,
  names: string[],
  options: { start?: string; build?: string; packageJson?: object; texts?: Record<string, string> } = {},
) {
  const bot = { language, startupCommand: options.start ?? 'x', buildCommand: options.build ?? null };
  const { packageJson } = options;
  const texts = { ...(packageJson && { 'package.json': JSON.stringify(packageJson) }), ...options.texts };
  return buildPlan(bot, { names: new Set(names), texts: new Map(Object.entries(texts)) });
}

const withDependency = { dependencies: { 'discord.js': '14' } };

test('nodejs: by lock file, and only with dependencies', () => {
  assert.equal(plan('nodejs', ['index.js']), null);
  assert.equal(plan('nodejs', ['package.json'], { packageJson: { name: 'x', scripts: {} } }), null);
  const planned = (...locks: string[]) => plan('nodejs', ['package.json', ...locks], { packageJson: withDependency });
  assert.deepEqual(planned('package-lock.json'), {
    command: 'npm ci --no-audit --no-fund',
    inputs: ['package.json', 'package-lock.json'],
    sources: [],
  });
  assert.equal(planned()?.command, 'npm install --no-package-lock --no-audit --no-fund');
});

test('nodejs: another manager in the version of its lock file, or the one that package.json names', () => {
  const berry = 'YARN_NODE_LINKER=node-modules npx --yes @yarnpkg/cli-dist@';
  const cases: [lock: string, begins: string, packageManager: string | null, command: string][] = [
    ['pnpm-lock.yaml', 'lockfileVersion: 5.4\n', null, 'npx --yes pnpm@7 install --frozen-lockfile'],
    ['pnpm-lock.yaml', "lockfileVersion: '6.0'\n", null, 'npx --yes pnpm@8 install --frozen-lockfile'],
    ['pnpm-lock.yaml', "lockfileVersion: '9.0'\n", null, 'npx --yes pnpm@10 install --frozen-lockfile'],
    ['pnpm-lock.yaml', '', 'pnpm@9.1.0+sha512.ab', 'npx --yes pnpm@9.1.0 install --frozen-lockfile'],
    ['pnpm-lock.yaml', '', 'pnpm@9.1.0; rm x', 'npx --yes pnpm@10 install --frozen-lockfile'],
    ['pnpm-lock.yaml', '', 'yarn@4.1.0', 'npx --yes pnpm@10 install --frozen-lockfile'],
    ['yarn.lock', '# yarn lockfile v1\n', null, 'npx --yes yarn@1.22.22 install --frozen-lockfile --non-interactive'],
    ['yarn.lock', '', 'yarn@1.22.19', 'npx --yes yarn@1.22.19 install --frozen-lockfile --non-interactive'],
    ['yarn.lock', '#\n__metadata:\n  version: 6\n', null, `${berry}3 install --immutable`],
    ['yarn.lock', '#\n__metadata:\n  version: 8\n', null, `${berry}4.9.4 install --immutable`],
    ['yarn.lock', '#\n__metadata:\n  version: 10\n', null, `${berry}4 install --immutable`],
    ['yarn.lock', '#\n__metadata:\n  version: 8\n', 'yarn@4.5.0', `${berry}4.5.0 install --immutable`],
  ];
  for (const [lock, begins, packageManager, command] of cases) {
    const packageJson = { ...withDependency, ...(packageManager && { packageManager }) };
    const options = { packageJson, texts: { [lock]: begins } };
    assert.equal(plan('nodejs', ['package.json', lock], options)?.command, command, `${begins} ${packageManager}`);
  }
});

test('python: a venv of requirements.txt or pyproject.toml', () => {
  assert.equal(plan('python', ['bot.py']), null);
  assert.match(plan('python', ['requirements.txt', 'pyproject.toml'])?.command ?? '', /-r requirements\.txt$/);
  const pyproject = (text: string) =>
    plan('python', ['pyproject.toml'], { texts: { 'pyproject.toml': text } })?.command;
  assert.match(pyproject('[build-system]\nrequires = []\n') ?? '', /pip install [^&]* -e \.$/);
  assert.match(pyproject('[project]\ndependencies = []\n') ?? '', /-r \.venv\/dependencies\.txt$/);
});

test('java: wrapper, else javac, but not for a source or a jar that runs as it is', () => {
  assert.match(plan('java', ['mvnw', 'pom.xml'])?.command ?? '', /mvnw/);
  assert.match(plan('java', ['gradlew'])?.command ?? '', /gradlew/);
  assert.match(
    plan('java', ['Bot.java'], { start: 'java -cp "build/classes:lib/*" Bot' })?.command ?? '',
    /javac -d build\/classes/,
  );
  assert.equal(plan('java', ['Bot.java'], { start: 'java Bot.java' }), null);
  assert.equal(plan('java', ['bot.jar'], { start: 'java -jar bot.jar' }), null);
});

test('go and rust: unless the command builds by itself', () => {
  assert.deepEqual(plan('go', ['go.mod', 'go.sum', 'main.go'], { start: './bot' }), {
    command: 'go build -o bot .',
    inputs: ['go.mod', 'go.sum'],
    sources: ['.go', 'go.mod'],
  });
  assert.equal(plan('go', ['go.mod'], { start: 'go run .' }), null);
  assert.equal(
    plan('rust', ['Cargo.toml', 'Cargo.lock'], { start: './target/release/b' })?.command,
    'cargo build --release --locked',
  );
  assert.equal(plan('rust', ['Cargo.toml'], { start: 'cargo run --release' }), null);
});

test("the owner's command goes first, keyed by the same inputs", () => {
  const built = plan('nodejs', ['package.json', 'yarn.lock'], {
    build: 'npm ci && npm run build',
    packageJson: withDependency,
  });
  assert.deepEqual([built?.command, built?.inputs], ['npm ci && npm run build', ['package.json', 'yarn.lock']]);
  assert.ok(built?.sources.includes('.ts'), 'what the command may compile');
  const made = plan('python', ['bot.py'], { build: 'make' });
  assert.deepEqual([made?.command, made?.inputs], ['make', []]);
});
