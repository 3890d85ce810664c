// What a process takes of the machine, as Linux tells it.
import { readFileSync } from 'node:fs';

/** Linux tells processes' times in hundredths of a second, on every machine. */
const tickMs = 10;

/** Processor time that the process has taken, all threads together, in ms. */
export function cpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // After the name, which may hold anything: the state is the third field, user and system time the
  // 14th and 15th.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickMs;
}

/** A size of /proc/<pid>/status in MB: VmRSS is what is resident, VmHWM the most that it was. */
export function memoryMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
}
