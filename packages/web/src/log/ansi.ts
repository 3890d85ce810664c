// Parses a line of output into pieces of one style each. Only SGR has an effect; other sequences
// are removed, and stray control and bidirectional characters become visible text. Never throws.

/** A colour: one of the terminal's 16, or its own red, green and blue (0 to 255). */
export type AnsiColour = number | readonly [red: number, green: number, blue: number];

export interface AnsiStyle {
  foreground: AnsiColour | null;
  background: AnsiColour | null;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
}

/** A piece of a line. `control`: it stands for an invisible character. */
export interface AnsiPiece {
  text: string;
  /** null = plain */
  style: AnsiStyle | null;
  control: boolean;
}

const plain: AnsiStyle = {
  foreground: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
};

const escape = String.fromCharCode(0x1b);
const bell = String.fromCharCode(0x07);

/**
 * CSI with its parameters and final byte; OSC, DCS, SOS, PM and APC up to their end; other
 * sequences of two or more characters. An unterminated one is no sequence, so it can't hide the
 * rest of a line.
 */
const sequence = new RegExp(
  `${escape}(?:${[
    '\\[([0-?]*)([ -/]*)([@-~])',
    `[\\]PX^_][^${bell}${escape}]*(?:${bell}|${escape}\\\\)`,
    '[ -/]+[0-~]',
    '[0-OQ-WYZ\\\\`-~]',
  ].join('|')})`,
  'g',
);

/** Control characters except tab, and characters that change text direction or line. */
const unseen = /(?!\t)\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** The pieces of a line, without its end. */
export function parseAnsi(line: string): AnsiPiece[] {
  const pieces: AnsiPiece[] = [];
  let style = plain;
  let at = 0;
  for (const match of line.matchAll(sequence)) {
    addText(pieces, line.slice(at, match.index), style);
    at = match.index + match[0].length;
    const [, parameters, intermediates, final] = match;
    if (final === 'm' && intermediates === '') style = applySgr(style, parameters ?? '');
  }
  addText(pieces, line.slice(at), style);
  return pieces;
}

/** What a terminal shows of a line with carriage returns. */
export function lastState(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((state) => state !== '') ?? '';
}

/** The visible text of a line. */
export function visibleText(line: string): string {
  return parseAnsi(line)
    .map((piece) => piece.text)
    .join('');
}

function addText(pieces: AnsiPiece[], text: string, style: AnsiStyle): void {
  const shown = isPlain(style) ? null : style;
  const add = (part: string, control: boolean) => {
    if (part !== '') pieces.push({ text: part, style: shown, control });
  };
  let at = 0;
  for (const match of text.matchAll(unseen)) {
    add(text.slice(at, match.index), false);
    add(nameOf(match[0]), true);
    at = match.index + 1;
  }
  add(text.slice(at), false);
}

/** ␛ for ASCII control characters, U+202E for others. */
function nameOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

function isPlain(style: AnsiStyle): boolean {
  return (
    style.foreground === null &&
    style.background === null &&
    !style.bold &&
    !style.dim &&
    !style.italic &&
    !style.underline &&
    !style.inverse
  );
}

const switches: Record<number, Partial<AnsiStyle>> = {
  0: plain,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  39: { foreground: null },
  49: { background: null },
};

function applySgr(before: AnsiStyle, parameters: string): AnsiStyle {
  // Private parameters (`?`, `>` …) belong to other functions.
  if (/[^0-9;:]/.test(parameters)) return before;
  let style = before;
  const numbers = parameters.split(';').map((each) => each.split(':').map((digits) => Number(digits || 0)));
  for (let at = 0; at < numbers.length; at++) {
    const [code = 0, ...subs] = numbers[at]!;
    if (code === 38 || code === 48) {
      const rest =
        subs.length > 0 ? withoutColourSpace(subs) : numbers.slice(at + 1, at + 5).map(([first = 0]) => first);
      const { colour, taken } = extendedColour(rest);
      if (subs.length === 0) at += taken;
      if (colour !== null) style = { ...style, [code === 38 ? 'foreground' : 'background']: colour };
    } else if (code === 4 && subs.length > 0) style = { ...style, underline: subs[0] !== 0 };
    else style = { ...style, ...(switches[code] ?? basicColour(code)) };
  }
  return style;
}

function basicColour(code: number): Partial<AnsiStyle> {
  if (code >= 30 && code <= 37) return { foreground: code - 30 };
  if (code >= 40 && code <= 47) return { background: code - 40 };
  if (code >= 90 && code <= 97) return { foreground: code - 90 + 8 };
  if (code >= 100 && code <= 107) return { background: code - 100 + 8 };
  return {};
}

/** `38:2::r:g:b` names a colour space between the kind and the colour; `38:2:r:g:b` does not. */
function withoutColourSpace(subs: number[]): number[] {
  return subs[0] === 2 && subs.length >= 5 ? [2, ...subs.slice(2, 5)] : subs;
}

/** The colour after 38 or 48: `5;n` or `2;r;g;b`; and how many numbers it took. */
function extendedColour([kind, ...values]: number[]): { colour: AnsiColour | null; taken: number } {
  if (kind === 5) return { colour: values[0] === undefined ? null : paletteColour(values[0]), taken: 2 };
  if (kind !== 2) return { colour: null, taken: 1 };
  const [red, green, blue] = values;
  if (red === undefined || green === undefined || blue === undefined) return { colour: null, taken: 4 };
  const whole = [red, green, blue].every((value) => value <= 255);
  return { colour: whole ? [red, green, blue] : null, taken: 4 };
}

/** The 256 colours of xterm: 16 of the terminal, a cube of 216, 24 greys. */
function paletteColour(index: number): AnsiColour | null {
  if (index < 16) return index;
  if (index > 255) return null;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const inCube = index - 16;
  return [level(Math.floor(inCube / 36)), level(Math.floor(inCube / 6) % 6), level(inCube % 6)];
}
