// What test/docker/neighbours.test.ts gave when it was run last, for docs/reliability.md.

/** Milliseconds within which half and 95 % of the probe's timers and writes were. */
export interface Neighbour {
  beside: string;
  timers: [number, number];
  writes: [number, number];
  /** Slowest of 20 answers of the server. */
  answer: number | null;
}

export const neighbours: readonly Neighbour[] = [
  { beside: 'nobody', timers: [0.3, 0.6], writes: [0.4, 0.6], answer: null },
  { beside: 'a fork bomb', timers: [1.8, 7.7], writes: [0.4, 2.2], answer: 5 },
  { beside: 'a bot that exhausts its memory', timers: [0.2, 2.6], writes: [0.4, 1.9], answer: 5 },
  {
    beside: '16 busy loops, limited to two cores, which are all',
    timers: [0.2, 3.1],
    writes: [0.4, 1.0],
    answer: 3,
  },
  { beside: 'a bot that exhausts inotify', timers: [0.2, 0.6], writes: [0.4, 1.0], answer: 1 },
  { beside: 'a bot that fills its tmpfs', timers: [0.2, 0.3], writes: [0.4, 0.7], answer: 1 },
  { beside: 'a bot that writes without pause', timers: [0.2, 0.3], writes: [0.4, 2.6], answer: 3 },
];
