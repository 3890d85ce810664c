// Text of users for a terminal, which would obey control characters in it.

/** Control, formatting and unassigned characters as `\\uXXXX`, one per UTF-16 unit. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
