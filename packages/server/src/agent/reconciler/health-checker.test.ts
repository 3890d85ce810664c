// Which runs are checked, how often, and when the checks stop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpAnswer, HttpQuestion } from '../../core/lib/http-probe.ts';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { HealthChecker } from './health-checker.ts';
import { aBot } from '../../../test/support/sample-bot.ts';

const running = { run: 3, runState: 'running', address: '172.18.0.2', port: 8080, checkPath: '/up' } as const;
const bot = aBot({ app: { id: 'app', name: 'greeter', port: null, healthPath: '/other' } }, running);

function checker(answers: HttpAnswer[]) {
  const clock = new ManualClock();
  const questions: HttpQuestion[] = [];
  const woken: string[] = [];
  const health = new HealthChecker({
    clock,
    appsDomain: 'apps.localhost',
    probe: async (question) => {
      questions.push(question);
      return answers[questions.length - 1] ?? { fault: 'not asked for' };
    },
  });
  health.onHealthy((botId) => woken.push(botId));
  const pass = async (ms: number) => {
    await settled();
    clock.advance(ms);
    await settled();
  };
  return { health, questions, woken, pass };
}

/** Runs everything that does not wait for a timer. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('a run is asked at its own address until it answers well; then its bot is woken, once', async () => {
  const { health, questions, woken, pass } = checker([{ fault: 'x' }, { status: 503 }, { status: 204 }]);
  assert.equal(health.answerOf(bot), null);
  health.ask(bot);
  health.ask(bot);
  await pass(0);
  assert.deepEqual(questions, [
    { address: '172.18.0.2', port: 8080, path: '/up', host: 'greeter.apps.localhost', timeoutMs: 2_000 },
  ]);
  await pass(500);
  assert.deepEqual([health.answerOf(bot), woken], [{ status: 503 }, []]);
  await pass(500);
  assert.deepEqual([health.answerOf(bot), woken], [{ status: 204 }, [bot.id]]);
  await pass(60_000);
  assert.equal(questions.length, 3);
});

test('an app that names a port is asked there', async () => {
  const { health, questions, pass } = checker([]);
  health.ask(aBot({ app: { id: 'app', name: 'greeter', port: 9090, healthPath: '/up' } }, running));
  await pass(0);
  assert.equal(questions[0]?.port, 9090);
});

test('a run that is left is asked no more, and what it said is forgotten', async () => {
  const { health, questions, woken, pass } = checker([{ status: 500 }]);
  health.ask(bot);
  await pass(0);
  health.leave(bot.id);
  await pass(60_000);
  assert.deepEqual([questions.length, health.answerOf(bot), woken], [1, null, []]);
});

test('the answers of a run are not those of the next', async () => {
  const { health, questions, pass } = checker([{ status: 200 }, { status: 500 }]);
  health.ask(bot);
  await pass(0);
  const next = aBot({}, { ...running, run: 4, address: '172.18.0.3' });
  assert.equal(health.answerOf(next), null);
  health.ask(next);
  await pass(0);
  assert.deepEqual([health.answerOf(next), health.answerOf(bot)], [{ status: 500 }, null]);
  assert.equal(questions[1]?.address, '172.18.0.3');
});
