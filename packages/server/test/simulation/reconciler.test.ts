// The first half of the random histories, and those that once failed. SIM_SEED=<seed> runs that one
// alone.
import { test } from 'node:test';
import { actions, checkHistories } from './check-histories.ts';

const seeds = process.env.FAULTS_LONG ? 500 : 100;
/** Histories that once failed. */
const kept: number[] = [];

const chosen = process.env.SIM_SEED
  ? [Number(process.env.SIM_SEED)]
  : [...kept, ...Array.from({ length: seeds }, (_, i) => i + 1)];

test(`${chosen.length} histories of ${actions} actions keep every promise`, () => checkHistories(chosen));
