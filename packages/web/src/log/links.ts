// Finds http and https URLs in a text. Pure.

/** `href` null = plain text. */
export interface TextPart {
  text: string;
  href: string | null;
}

const address = /\bhttps?:\/\/[^\s<>"'`\\^{}|\u2400-\u2421]+/gi;
/** Ends a sentence rather than a URL. */
const trailing = /[.,;:!?]+$/;
/** Maximum number of brackets stripped from the end of a URL. */
const maxBrackets = 8;

/** The parts of a text, in order; together they are the text. */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const match of text.matchAll(address)) {
    const found = withoutTail(match[0]);
    if (!URL.canParse(found)) continue;
    if (match.index > at) parts.push({ text: text.slice(at, match.index), href: null });
    parts.push({ text: found, href: new URL(found).href });
    at = match.index + found.length;
  }
  if (at < text.length) parts.push({ text: text.slice(at), href: null });
  return parts;
}

function withoutTail(found: string): string {
  let text = found.replace(trailing, '');
  for (let taken = 0; taken < maxBrackets && endsAlone(text); taken++) text = text.slice(0, -1).replace(trailing, '');
  return text;
}

/** Whether it ends with an unmatched closing bracket. */
function endsAlone(text: string): boolean {
  const open = { ')': '(', ']': '[' }[text.at(-1) ?? ''];
  return open !== undefined && text.split(open).length < text.split(text.at(-1)!).length;
}
