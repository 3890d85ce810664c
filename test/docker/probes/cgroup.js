// What a program in a container reads of its own control group, of either version, in the same shape.
import { existsSync, readFileSync } from 'node:fs';

const root = '/sys/fs/cgroup';
const isUnified = existsSync(`${root}/cgroup.controllers`);

function text(path) {
  return readFileSync(`${root}/${path}`, 'utf8').trim();
}

/** Bytes; memory and swap together in the second. */
export function memoryLimits() {
  if (!isUnified) {
    return {
      memoryBytes: Number(text('memory/memory.limit_in_bytes')),
      memoryAndSwapBytes: existsSync(`${root}/memory/memory.memsw.limit_in_bytes`)
        ? Number(text('memory/memory.memsw.limit_in_bytes'))
        : null,
    };
  }
  const memoryBytes = Number(text('memory.max'));
  return { memoryBytes, memoryAndSwapBytes: memoryBytes + Number(text('memory.swap.max')) };
}

/** Microseconds. */
export function cpuLimit() {
  const [quota, period] = isUnified
    ? text('cpu.max').split(' ').map(Number)
    : [Number(text('cpu/cpu.cfs_quota_us')), Number(text('cpu/cpu.cfs_period_us'))];
  return { quota, period };
}

/** Microseconds of processor time so far, and how often the quota was used up. */
export function cpuUse() {
  const stat = Object.fromEntries(
    text(isUnified ? 'cpu.stat' : 'cpu/cpu.stat')
      .split('\n')
      .map((line) => line.split(' ')),
  );
  const usedMicros = isUnified ? Number(stat.usage_usec) : Number(text('cpuacct/cpuacct.usage')) / 1000;
  return { usedMicros, throttled: Number(stat.nr_throttled) };
}

export function pidsLimit() {
  return Number(text(isUnified ? 'pids.max' : 'pids/pids.max'));
}
