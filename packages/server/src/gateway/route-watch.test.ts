// The table follows its source: read when the version changes, at the latest when a request
// arrives; kept when the source can't be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Route } from '../core/domain/route.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
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

function open() {
  const clock = new ManualClock();
  const source = { number: 1, routes: routesNamed('first'), fault: null as Error | null, reads: 0, readMs: 0 };
  const applied: string[][] = [];
  const reports: unknown[] = [];
  const watch = new RouteWatch({
    source: {
      version() {
        if (source.fault) throw source.fault;
        return source.number;
      },
      all() {
        source.reads++;
        clock.set(source.readMs);
        return source.routes;
      },
    },
    apply: (routes) => void applied.push(routes.map(({ name }) => name)),
    clock,
    report: (error) => void reports.push(error),
  });
  watch.start();
  return { source, applied, reports, watch, clock };
}

test('routes are read at the start, and when the number grew', () => {
  const { source, applied, clock, watch } = open();
  assert.deepEqual(applied, [['first']]);
  clock.advance(40);
  assert.equal(source.reads, 1);
  source.routes = routesNamed('first', 'second');
  source.number++;
  clock.advance(40);
  assert.deepEqual(applied.at(-1), ['first', 'second']);
  watch.close();
  source.number++;
  clock.advance(40);
  assert.equal(source.reads, 2);
});

test('a request that comes after a change goes by it', () => {
  const { source, applied, watch } = open();
  source.routes = routesNamed('second');
  source.number++;
  watch.poll();
  assert.deepEqual(applied.at(-1), ['second']);
  watch.poll();
  assert.equal(source.reads, 2);
  watch.close();
});

test('reading takes at most half of the time, and the newest table is there in the end', () => {
  const { source, watch, clock } = open();
  source.readMs = 10;
  let busyMs = 0;
  for (let ms = 0; ms < 1000; ms++) {
    const before = source.reads;
    source.number++;
    watch.poll();
    busyMs += (source.reads - before) * source.readMs;
    clock.set(1);
  }
  assert.ok(busyMs > 300 && busyMs <= 1020, `${busyMs} ms of ${1000 + busyMs}`);
  source.readMs = 0;
  const reads = source.reads;
  clock.advance(80);
  assert.equal(source.reads, reads + 1);
  watch.close();
});

test('a clock that is turned back does not keep the table as it is', () => {
  const { source, watch, clock } = open();
  source.readMs = 10;
  source.number++;
  watch.poll();
  clock.set(-3_600_000);
  source.number++;
  watch.poll();
  assert.equal(source.reads, 3);
  watch.close();
});

test('a source that fails is told of once, and the table stays until it can be read again', () => {
  const { source, applied, reports, watch, clock } = open();
  source.fault = new Error('locked');
  for (let count = 0; count < 3; count++) clock.advance(40);
  watch.poll();
  assert.deepEqual(reports, [source.fault]);
  assert.equal(applied.length, 1);
  source.fault = null;
  source.number++;
  watch.poll();
  assert.equal(applied.length, 2);
  watch.close();
});
