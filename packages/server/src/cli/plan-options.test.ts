// Options of set-plan: each alone, resets, and rejections.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Plan } from '../core/domain/quota.ts';
import { type PlanOptions, planChange, planText } from './plan-options.ts';

test('each option changes its part of the plan, and nothing else', () => {
  const cases: [PlanOptions, Partial<Plan>][] = [
    [{}, {}],
    [{ memory: '2048' }, { memoryMb: 2048 }],
    [{ bots: '5' }, { bots: 5 }],
    [{ disk: '500' }, { diskMb: 500 }],
    [{ apps: '0' }, { apps: 0 }],
    [{ network: 'none' }, { internet: false }],
    [{ network: 'internet' }, { internet: true }],
    [{ networkMbit: '10' }, { networkMbit: 10 }],
    [{ networkMbit: '0' }, { networkMbit: null }],
    [{ runtime: 'runsc' }, { containerRuntime: 'runsc' }],
    [{ runtime: 'default' }, { containerRuntime: null }],
    [
      { memory: '128', bots: '1', disk: '32', apps: '3' },
      { memoryMb: 128, bots: 1, diskMb: 32, apps: 3 },
    ],
  ];
  for (const [options, change] of cases) assert.deepEqual(planChange(options), change);
});

test('what is not right is refused by name', () => {
  const cases: [PlanOptions, string][] = [
    [{ memory: '127' }, '--memory must be a whole number, at least 128'],
    [{ bots: '0' }, '--bots must be a whole number, at least 1'],
    [{ disk: '15' }, '--disk must be a whole number, at least 16'],
    [{ disk: '1.5' }, '--disk must be a whole number, at least 16'],
    [{ apps: '-1' }, '--apps must be a whole number, at least 0'],
    [{ networkMbit: 'much' }, '--network-mbit must be a whole number, at least 0'],
    [{ network: 'lan' }, '--network must be internet or none'],
    [{ runtime: 'a b' }, '--runtime must be the name of a runtime'],
  ];
  for (const [options, message] of cases) assert.throws(() => planChange(options), { message });
});

test('a plan is told by its numbers', () => {
  const plan = { memoryMb: 2048, bots: 5, diskMb: 500, apps: 1 } as Plan;
  assert.equal(planText(plan), '2048 MB, 5 bots of 500 MB disk each, 1 apps');
});
