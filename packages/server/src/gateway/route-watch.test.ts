// The table follows its source: read when the number changed, kept when the source can't be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../domain/route.ts';
import { ManualClock } from '../lib/manual-clock.ts';
import { RouteWatch } from './route-watch.ts';

function routesNamed(...names: string[]): Route[] {
  return names.map((name) => ({
    appId: name,
    botId: name,
    name,
    hostnames: [`${name}.example`],
    state: { kind: 'starting' },
  }));
}

async function open() {
  const clock = new ManualClock();
  const source = { number: 1, routes: routesNamed('first'), fault: null as Error | null, reads: 0 };
  const applied: string[][] = [];
  const reports: unknown[] = [];
  const watch = new RouteWatch({
    source: {
      async version() {
        if (source.fault) throw source.fault;
        return source.number;
      },
      async all() {
        source.reads++;
        return source.routes;
      },
    },
    apply: (routes) => void applied.push(routes.map(({ name }) => name)),
    clock,
    report: (error) => void reports.push(error),
  });
  await watch.start();
  /** One more look. */
  const look = async () => {
    clock.advance(40);
    await new Promise(setImmediate);
  };
  return { source, applied, reports, watch, look };
}

test('routes are read at the start, and when the number grew', async () => {
  const { source, applied, look, watch } = await open();
  assert.deepEqual(applied, [['first']]);
  await look();
  assert.equal(source.reads, 1);
  source.routes = routesNamed('first', 'second');
  source.number++;
  await look();
  assert.deepEqual(applied.at(-1), ['first', 'second']);
  await watch.close();
  source.number++;
  await look();
  assert.equal(source.reads, 2);
});

test('a source that fails is told of once, and the table stays until it can be read again', async () => {
  const { source, applied, reports, look, watch } = await open();
  source.fault = new Error('locked');
  for (let count = 0; count < 3; count++) await look();
  assert.deepEqual(reports, [source.fault]);
  assert.equal(applied.length, 1);
  source.fault = null;
  source.number++;
  await look();
  assert.equal(applied.length, 2);
  await watch.close();
});
