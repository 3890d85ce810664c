// Reads probe programs as files of a bot.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The probe programs of these names, as `createBot` takes them; JavaScript as modules. */
export function probes(...names: string[]): Record<string, string> {
  const files: Record<string, string> = {
    'package.json': '{ "type": "module", "scripts": { "start": "node worker.js" } }\n',
  };
  for (const name of names) files[name] = readFileSync(join(import.meta.dirname, name), 'utf8');
  return files;
}
