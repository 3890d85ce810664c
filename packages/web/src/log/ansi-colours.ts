// Turns the styles of a bot's output into colours readable in both themes: a contrast of at least
// 4.5 to 1. Pure.
import type { AnsiColour, AnsiStyle } from './ansi.ts';

type Rgb = readonly [red: number, green: number, blue: number];

/** The log's own colours in one theme, and the terminal's 16. */
interface Theme {
  foreground: Rgb;
  background: Rgb;
  palette: readonly Rgb[];
}

/**
 * Foreground and background are `--ink` and, by theme, `--surface` and `--sunken` of the style
 * sheet.
 */
const themes: { light: Theme; dark: Theme } = {
  light: {
    foreground: [35, 32, 26],
    background: [255, 253, 249],
    palette: hexes(
      '24292f cf222e 116329 7d4e00 0969da 8250df 1b7c83 6e7781 57606a a40e26 1a7f37 633c01 218bff a475f9 3192aa 8c959f',
    ),
  },
  dark: {
    foreground: [236, 232, 223],
    background: [15, 18, 20],
    palette: hexes(
      '484f58 ff7b72 3fb950 d29922 58a6ff bc8cff 39c5cf b1bac4 6e7681 ffa198 56d364 e3b341 79c0ff d2a8ff 56d4dd ffffff',
    ),
  },
};

const wantedContrast = 4.5;
const whatDimKeeps = 0.65;

/** CSS of a style; `color` and `backgroundColor` differ by theme. Absent = as everything else. */
export interface AnsiCss {
  color?: string;
  backgroundColor?: string;
  fontWeight?: 'bold';
  fontStyle?: 'italic';
  textDecoration?: 'underline';
}

const known = new Map<string, AnsiCss>();
const maxKnown = 2000;

/** Cached: the same object for the same style. */
export function cssOf(style: AnsiStyle): AnsiCss {
  const key = JSON.stringify(style);
  let css = known.get(key);
  if (!css) {
    if (known.size >= maxKnown) known.clear();
    css = makeCss(style);
    known.set(key, css);
  }
  return css;
}

function makeCss(style: AnsiStyle): AnsiCss {
  const css: AnsiCss = {};
  const light = coloursIn(themes.light, style);
  const dark = coloursIn(themes.dark, style);
  if (style.foreground !== null || style.background !== null || style.inverse || style.dim)
    css.color = `light-dark(${write(light.foreground)}, ${write(dark.foreground)})`;
  if (style.background !== null || style.inverse)
    css.backgroundColor = `light-dark(${write(light.background)}, ${write(dark.background)})`;
  if (style.bold) css.fontWeight = 'bold';
  if (style.italic) css.fontStyle = 'italic';
  if (style.underline) css.textDecoration = 'underline';
  return css;
}

function coloursIn(theme: Theme, style: AnsiStyle): { foreground: Rgb; background: Rgb } {
  let foreground = rgbOf(theme, style.foreground) ?? theme.foreground;
  let background = rgbOf(theme, style.background) ?? theme.background;
  if (style.inverse) [foreground, background] = [background, foreground];
  if (style.dim) foreground = mix(foreground, background, whatDimKeeps);
  return { foreground: readable(foreground, background), background };
}

function rgbOf(theme: Theme, colour: AnsiColour | null): Rgb | null {
  return typeof colour === 'number' ? (theme.palette[colour] ?? null) : colour;
}

/** The colour, or the nearest one towards black or white that is readable on the background. */
function readable(colour: Rgb, background: Rgb): Rgb {
  if (contrast(colour, background) >= wantedContrast) return colour;
  const end: Rgb =
    contrast([0, 0, 0], background) >= contrast([255, 255, 255], background) ? [0, 0, 0] : [255, 255, 255];
  for (let kept = 0.9; kept > 0; kept -= 0.1) {
    const nearer = mix(colour, end, kept);
    if (contrast(nearer, background) >= wantedContrast) return nearer;
  }
  return end;
}

/** Contrast of WCAG 2: 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function mix([r, g, b]: Rgb, [toR, toG, toB]: Rgb, kept: number): Rgb {
  const part = (from: number, to: number) => Math.round(from * kept + to * (1 - kept));
  return [part(r, toR), part(g, toG), part(b, toB)];
}

function write([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}

function hexes(list: string): Rgb[] {
  const part = (hex: string, at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  return list.split(' ').map((hex) => [part(hex, 0), part(hex, 2), part(hex, 4)]);
}
