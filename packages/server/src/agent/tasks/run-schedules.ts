// Looks every few seconds which schedules are due. What is done then is the runner's, which
// server.ts hands in.
import type { Task } from './driver.ts';

const everyMs = 5_000;

export function runSchedules(runner: { look(): Promise<void> }): Task {
  return { name: 'run-schedules', everyMs, run: () => runner.look() };
}
