// Archives for projects that are built in containers: zip files and wheels of a few texts.
import { lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PackedEntry } from '../../packages/server/src/agent/homes/archive-entry.ts';
import { zipOf } from '../../packages/server/src/agent/homes/zip-writer.ts';

/** A zip file of texts by name. */
export async function zip(files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> {
  const scratch = join(mkdtempSync(join(tmpdir(), 'botel-zip-')), 'file');
  async function* entries(): AsyncGenerator<PackedEntry> {
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(scratch, text);
      const stats = lstatSync(scratch, { bigint: true });
      yield {
        kind: 'file',
        name,
        target: '',
        stats,
        content: async function* () {
          yield Buffer.from(text);
        },
      };
    }
  }
  const bytes = Buffer.concat(await Array.fromAsync(zipOf(entries())));
  rmSync(dirname(scratch), { recursive: true });
  return new Uint8Array(bytes);
}

/** A wheel `greeter-1.0-py3-none-any.whl` with the module `greeter`, whose `greeting` is this. */
export function wheel(greeting: string): Promise<Uint8Array<ArrayBuffer>> {
  return zip({
    'greeter.py': `greeting = ${JSON.stringify(greeting)}\n`,
    'greeter-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: greeter\nVersion: 1.0\n',
    'greeter-1.0.dist-info/WHEEL':
      'Wheel-Version: 1.0\nGenerator: botel-test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    'greeter-1.0.dist-info/RECORD':
      'greeter.py,,\ngreeter-1.0.dist-info/METADATA,,\ngreeter-1.0.dist-info/WHEEL,,\ngreeter-1.0.dist-info/RECORD,,\n',
  });
}
