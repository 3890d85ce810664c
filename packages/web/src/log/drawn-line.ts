// Splits the visible text of a line into parts with one style, one link and one search hit each.
// Pure.
import { type AnsiStyle, lastState, parseAnsi } from './ansi.ts';
import { splitLinks } from './links.ts';

/** From this many characters on a line is folded. */
export const foldedLength = 4096;

export interface DrawnPart {
  text: string;
  style: AnsiStyle | null;
  /** It stands for an invisible character. */
  control: boolean;
  /** http or https; null = no link */
  href: string | null;
  /** It is a search hit. */
  hit: boolean;
}

interface Range {
  from: number;
  to: number;
}

/** The parts of a line as the bot wrote it; `wanted` is the search text, '' = none. */
export function drawLine(text: string, wanted = ''): DrawnPart[] {
  const pieces = parseAnsi(lastState(text));
  const visible = pieces.map((piece) => piece.text).join('');
  const links = linkRanges(visible);
  const hits = hitRanges(visible, wanted);
  const cuts = [...links, ...hits].flatMap(({ from, to }) => [from, to]).sort((a, b) => a - b);
  const parts: DrawnPart[] = [];
  let at = 0;
  for (const { text: whole, style, control } of pieces) {
    const end = at + whole.length;
    for (const stop of [...cuts.filter((cut) => cut > at && cut < end), end]) {
      if (stop <= at) continue;
      const link = links.find((range) => range.from <= at && stop <= range.to);
      const hit = hits.some((range) => range.from <= at && stop <= range.to);
      parts.push({ text: visible.slice(at, stop), style, control, href: link?.href ?? null, hit });
      at = stop;
    }
  }
  return parts;
}

/** Where `wanted` stands in a text, in any case of letters. */
export function hitRanges(text: string, wanted: string): Range[] {
  if (wanted === '') return [];
  const escaped = wanted.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return [...text.matchAll(new RegExp(escaped, 'gi'))].map(({ index, 0: found }) => ({
    from: index,
    to: index + found.length,
  }));
}

function linkRanges(text: string): (Range & { href: string })[] {
  if (!text.includes('://')) return [];
  const ranges: (Range & { href: string })[] = [];
  let at = 0;
  for (const part of splitLinks(text)) {
    if (part.href !== null) ranges.push({ from: at, to: at + part.text.length, href: part.href });
    at += part.text.length;
  }
  return ranges;
}
