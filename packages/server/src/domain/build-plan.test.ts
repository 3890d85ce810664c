// What is built for which project, and that nothing is built where nothing has to be.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildPlan } from './build-plan.ts';
import type { Language } from './languages.ts';

function plan(
  language: Language,
  names: string[],
  options: { start?: string; build?: string; packageJson?: object } = {},
) {
  const bot = { language, startupCommand: options.start ?? 'x', buildCommand: options.build ?? null };
  const packageJson = options.packageJson ? JSON.stringify(options.packageJson) : null;
  return buildPlan(bot, { names: new Set(names), packageJson });
}

const withDependency = { dependencies: { 'discord.js': '14' } };

test('nodejs: by lock file, and only with dependencies', () => {
  assert.equal(plan('nodejs', ['index.js']), null);
  assert.equal(plan('nodejs', ['package.json'], { packageJson: { name: 'x', scripts: {} } }), null);
  const commands = (...locks: string[]) => plan('nodejs', ['package.json', ...locks], { packageJson: withDependency });
  assert.deepEqual(commands('package-lock.json'), {
    command: 'npm ci --no-audit --no-fund',
    inputs: ['package.json', 'package-lock.json'],
    sources: null,
  });
  assert.match(commands('yarn.lock')?.command ?? '', /^npx --yes yarn@/);
  assert.match(commands('pnpm-lock.yaml')?.command ?? '', /^npx --yes pnpm@/);
  assert.match(commands()?.command ?? '', /^npm install --no-package-lock/);
});

test('python: a venv of requirements.txt or pyproject.toml', () => {
  assert.equal(plan('python', ['bot.py']), null);
  assert.match(plan('python', ['requirements.txt', 'pyproject.toml'])?.command ?? '', /-r requirements\.txt$/);
  assert.match(plan('python', ['pyproject.toml'])?.command ?? '', / \.$/);
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
    sources: '.go',
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
  assert.deepEqual(built, { command: 'npm ci && npm run build', inputs: ['package.json', 'yarn.lock'], sources: null });
  assert.deepEqual(plan('python', ['bot.py'], { build: 'make' }), { command: 'make', inputs: [], sources: null });
});
