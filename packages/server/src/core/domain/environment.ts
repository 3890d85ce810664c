// Rules for the variables of an owner and those that Botel adds (docs/specification.md). Pure.

export const environmentLimits = { keys: 100, keyCharacters: 128, valueBytes: 65_536, totalBytes: 262_144 } as const;

/** Values as text, or the fault as a predicate about the offending key (null = the whole). */
export function readEnvironment(
  given: Record<string, unknown>,
): { environment: Record<string, string> } | { key: string | null; fault: string } {
  const entries = Object.entries(given);
  if (entries.length > environmentLimits.keys)
    return { key: null, fault: `must have at most ${environmentLimits.keys} keys` };
  const environment: Record<string, string> = {};
  let totalBytes = 0;
  for (const [key, value] of entries) {
    if (typeof value === 'object' || value === undefined)
      return { key: null, fault: 'must be an object with string values' };
    const text = String(value);
    if (!isKey(key) || !isValue(text)) return { key, fault: 'is not valid' };
    totalBytes += Buffer.byteLength(key) + Buffer.byteLength(text);
    environment[key] = text;
  }
  if (totalBytes > environmentLimits.totalBytes) {
    return { key: null, fault: `must be at most ${environmentLimits.totalBytes} bytes in total` };
  }
  return { environment };
}

function isKey(key: string): boolean {
  const length = [...key].length;
  return (
    length >= 1 &&
    length <= environmentLimits.keyCharacters &&
    !/[=\0]/.test(key) &&
    !key.startsWith('BOTEL_') &&
    key.isWellFormed()
  );
}

function isValue(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed() && Buffer.byteLength(text) <= environmentLimits.valueBytes;
}

export const defaultPort = 3000;

/** The PORT of a run: the owner's variable, else the app's port, else a default. */
export function portVariable(environment: Record<string, string>, app: { port: number | null } | null): string {
  return environment.PORT ?? String(app?.port ?? defaultPort);
}

/** Parses a PORT variable; null when it is no valid port. */
export function portOf(text: string): number | null {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : null;
}
