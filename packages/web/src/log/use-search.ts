// Search in the lines shown: hits, the current one, next and previous.
import { useState } from 'react';
import type { LineStore, LogChunk } from './line-store.ts';
import { findInChunk, type LogFilter } from './log-filter.ts';

export interface LogSearch {
  text: string;
  setText: (text: string) => void;
  /** Sequence number of the current hit; null = none. */
  current: number | null;
  /** Resets the current hit. */
  leave: () => void;
  /** Moves to the next (1) or previous (-1) hit, wrapping around; returns it. */
  move: (step: 1 | -1) => number | null;
}

/** Arriving lines don't re-render this: hits are computed where they are shown. */
export function useSearch(store: LineStore, filter: LogFilter): LogSearch {
  const [text, setText] = useState('');
  const [current, setCurrent] = useState<number | null>(null);
  return {
    text,
    setText: (next) => {
      setText(next);
      setCurrent(null);
    },
    current,
    leave: () => setCurrent(null),
    move: (step) => {
      const next = nextOf([...hitsIn(store.snapshot().chunks, filter, text).values()].flat(), current, step);
      setCurrent(next);
      return next;
    },
  };
}

const found = new WeakMap<LogChunk, { key: string; seqs: number[] }>();

/** Sequence numbers of the rows that hold the text, by chunk; chunks without any are left out. */
export function hitsIn(chunks: readonly LogChunk[], filter: LogFilter, wanted: string): Map<LogChunk, number[]> {
  const hits = new Map<LogChunk, number[]>();
  if (wanted === '') return hits;
  for (const chunk of chunks) {
    const seqs = findOnce(chunk, filter, wanted);
    if (seqs.length > 0) hits.set(chunk, seqs);
  }
  return hits;
}

/** From `current` on, wrapping around; without it the newest one. */
export function nextOf(seqs: readonly number[], current: number | null, step: 1 | -1): number | null {
  if (current === null) return seqs.at(-1) ?? null;
  if (step === 1) return seqs.find((seq) => seq > current) ?? seqs[0] ?? null;
  return seqs.findLast((seq) => seq < current) ?? seqs.at(-1) ?? null;
}

function findOnce(chunk: LogChunk, filter: LogFilter, wanted: string): number[] {
  const key = JSON.stringify([wanted, filter]);
  let known = found.get(chunk);
  if (known?.key !== key) {
    known = { key, seqs: findInChunk(chunk, filter, wanted) };
    found.set(chunk, known);
  }
  return known.seqs;
}
