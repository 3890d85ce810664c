// The second half of the random histories, in a process of its own beside the first.
import { test } from 'node:test';
import { actions, checkHistories } from './check-histories.ts';

const count = process.env.FAULTS_LONG ? 500 : 100;
const chosen = Array.from({ length: count }, (_, i) => i + 501);

test(`${chosen.length} more histories of ${actions} actions keep every promise`, () => checkHistories(chosen));
