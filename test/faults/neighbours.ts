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
  { beside: 'nobody', timers: [1.4, 21.9], writes: [4.0, 26.9], answer: null },
  { beside: 'a fork bomb', timers: [3.8, 31.4], writes: [0.4, 38.7], answer: 2 },
  { beside: 'a memory hog', timers: [1.0, 20.6], writes: [3.8, 9.9], answer: 9 },
  {
    beside: 'a processor hog: 16 loops, the limit above all cores',
    timers: [2.8, 22.0],
    writes: [0.4, 8.1],
    answer: 15,
  },
  { beside: 'an inotify hog', timers: [2.4, 24.7], writes: [0.5, 20.6], answer: 3 },
  { beside: 'a filler of its tmpfs', timers: [1.8, 14.2], writes: [0.4, 17.2], answer: 43 },
  { beside: 'a flood of output', timers: [0.3, 9.1], writes: [2.2, 6.9], answer: 154 },
];
