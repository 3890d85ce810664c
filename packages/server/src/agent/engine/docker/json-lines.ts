// Reads a stream of JSON values, one per line, with bounded memory.
import { EngineError } from '../engine.ts';

const defaultMaxLineBytes = 1024 * 1024;

/** Yields each line's value. A line that is too long or not JSON rejects with `unavailable`. */
export async function* jsonLines(
  chunks: AsyncIterable<Buffer>,
  maxLineBytes = defaultMaxLineBytes,
): AsyncGenerator<unknown, void, void> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      if (pendingBytes + end - from > maxLineBytes) throw tooLong(maxLineBytes);
      const line = Buffer.concat([...pending, chunk.subarray(from, end)]).toString('utf8');
      pending = [];
      pendingBytes = 0;
      from = end + 1;
      if (line.trim()) yield parsed(line);
    }
    if (from === chunk.length) continue;
    pending.push(chunk.subarray(from));
    pendingBytes += chunk.length - from;
    if (pendingBytes > maxLineBytes) throw tooLong(maxLineBytes);
  }
  const rest = Buffer.concat(pending).toString('utf8');
  if (rest.trim()) yield parsed(rest);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new EngineError('unavailable', 'The engine sent a line that is no JSON', { cause: error });
  }
}

function tooLong(maxLineBytes: number): EngineError {
  return new EngineError('unavailable', `The engine sent a line of more than ${maxLineBytes} bytes`);
}
