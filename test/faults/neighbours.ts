// What test/docker/neighbours.test.ts gave when it was run last, for docs/reliability.md. Must not do anything.

/** Milliseconds within which half and 95 % of the probe's timers and writes were. */
export interface Neighbour {
  beside: string;
  timers: [number, number];
  writes: [number, number];
  /** Slowest of 20 answers of the server. */
  answer: number | null;
}

export const neighbours: readonly Neighbour[] = [
  { beside: 'nobody', timers: [1.2, 14.5], writes: [2.0, 13.1], answer: null },
  { beside: 'a fork bomb', timers: [1.4, 28.4], writes: [0.9, 10.2], answer: 7 },
  { beside: 'a memory hog', timers: [2.3, 22.0], writes: [0.4, 11.4], answer: 1 },
  {
    beside: 'a processor hog: 16 loops, limited to two cores, which are all',
    timers: [4.4, 33.9],
    writes: [0.5, 13.5],
    answer: 34,
  },
  { beside: 'an inotify hog', timers: [0.4, 5.4], writes: [0.3, 5.3], answer: 6 },
  { beside: 'a filler of its tmpfs', timers: [2.0, 7.9], writes: [1.1, 7.3], answer: 23 },
  { beside: 'a flood of output', timers: [0.4, 4.1], writes: [1.8, 8.8], answer: 56 },
];
