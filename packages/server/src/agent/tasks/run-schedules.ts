// Checks every few seconds which schedules are due. compose.ts passes in the runner.
import type { Task } from './driver.ts';

const everyMs = 5_000;

export function runSchedules(runner: { look(): Promise<void> }): Task {
  return { name: 'run-schedules', everyMs, run: () => runner.look() };
}
