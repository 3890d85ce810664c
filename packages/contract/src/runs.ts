// Runs of a bot: every time that its program, or what builds it, was begun.
import { z } from 'zod';
import { exit } from './bots.ts';
import { cursor, queryNumber } from './input.ts';
import { runKinds } from './vocabulary.ts';

export const runsQuery = z.object({ limit: queryNumber(1, 100, 50), cursor: cursor() });

/** `automatic`: nobody asked for it. `started_at` is null where the program never ran, `exit` while
 * the run is not over. */
export const run = z.strictObject({
  run: z.number(),
  kind: z.enum(runKinds),
  automatic: z.boolean(),
  began_at: z.string(),
  started_at: z.string().nullable(),
  exit: exit.nullable(),
});

export const runList = z.strictObject({
  runs: z.array(run),
  count: z.number(),
  next_cursor: z.string().nullable(),
});

export type RunData = z.infer<typeof run>;
export type RunListData = z.infer<typeof runList>;
