// The search in the lines that are shown: what is found, where the reader is among it, next and previous.
import { useDeferredValue, useState } from 'react';
import type { LogChunk } from './line-store.ts';
import { findInChunk, type LogFilter } from './log-filter.ts';

export interface LogSearch {
  text: string;
  setText: (text: string) => void;
  /** Sequence numbers of the rows that hold it, by chunk. */
  hits: Map<LogChunk, number[]>;
  count: number;
  /** 1 to count; 0 = at none of them. */
  place: number;
  current: number | null;
  /** Moves to the next (1) or previous (-1) one, around the ends; resolves with where that is. */
  move: (step: 1 | -1) => number | null;
  goTo: (seq: number | null) => void;
  /** The text that hits are drawn for. */
  drawn: string;
}

const found = new WeakMap<LogChunk, { key: string; seqs: number[] }>();

export function useSearch(chunks: readonly LogChunk[], filter: LogFilter): LogSearch {
  const [text, setText] = useState('');
  const [current, setCurrent] = useState<number | null>(null);
  const drawn = useDeferredValue(text);
  const hits = new Map<LogChunk, number[]>();
  const all: number[] = [];
  if (drawn !== '')
    for (const chunk of chunks) {
      const seqs = findOnce(chunk, filter, drawn);
      if (seqs.length > 0) hits.set(chunk, seqs);
      all.push(...seqs);
    }
  const move = (step: 1 | -1) => {
    // What was typed last, also where its hits are not drawn yet.
    const seqs = text === '' ? [] : chunks.flatMap((chunk) => findOnce(chunk, filter, text));
    const next = nextOf(seqs, current, step);
    setCurrent(next);
    return next;
  };
  return {
    text,
    setText: (next) => {
      setText(next);
      setCurrent(null);
    },
    hits,
    count: all.length,
    place: current === null ? 0 : all.indexOf(current) + 1,
    current,
    move,
    goTo: setCurrent,
    drawn,
  };
}

/** From `current` on, around the ends; without it the newest one. */
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
