// Puts values into a text. Pure.

export type TextValues = Record<string, string | number>;

/**
 * `{name}` is the value, numbers as the language writes them; `{count|bot|bots}` is the word that
 * goes with the number.
 */
export function fill(text: string, values: TextValues, language: string): string {
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g, (whole, name: string, one?: string, other?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    if (one !== undefined && other !== undefined)
      return new Intl.PluralRules(language).select(Number(value)) === 'one' ? one : other;
    return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : value;
  });
}
