// The files of a multipart/form-data body, one after the other as they arrive.
import { on, once } from 'node:events';
import { Readable } from 'node:stream';
import { Busboy, type BusboyEvents } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { type BotelError, fail } from '../../../../core/domain/errors.ts';
import type { FilesInput } from '../../../services/files.ts';
import { bodyOf } from './request-body.ts';

type Parser = InstanceType<typeof Busboy>;
type SentFile = FilesInput['files'] extends AsyncIterable<infer File> ? File : never;

/** Fields other than files are ignored, so the limits may be small. */
const limits = { fields: 1000, fieldSize: 1024, headerPairs: 100, headerSize: 16 * 1024 };

/** Whether the body is a form. */
export function isForm(request: FastifyRequest): boolean {
  return /^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '');
}

/**
 * The files of the body, to be read in turn; their names may contain folders. Rejects with 400 when
 * the form is incomplete, with the connection's error when that ends.
 */
export async function* formFiles(request: FastifyRequest): AsyncGenerator<SentFile> {
  const form = parserOf(request);
  const stop = new AbortController();
  const open = new Set<Readable>();
  const receiving = receive(bodyOf(request).body, form, stop.signal);
  receiving.catch((error) => {
    form.destroy(error);
    for (const content of open) content.destroy(error);
  });
  form.on('file', (_field, content) => {
    open.add(content);
    // A cut form ends all of its files with an error, also those not yet being read.
    content.on('error', () => open.delete(content)).on('close', () => open.delete(content));
  });
  try {
    const files = on(form, 'file', { close: ['finish'], signal: stop.signal });
    for await (const [, content, name] of files as AsyncIterable<Parameters<BusboyEvents['file']>>) {
      yield { name: unescape(name ?? ''), content: bytesOf(content, form) };
    }
  } catch {
    throw form.errored ?? damaged();
  } finally {
    stop.abort();
  }
}

async function* bytesOf(content: Readable, form: Parser): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch {
    throw form.errored ?? damaged();
  }
}

/** The bytes of the only file of a form; the stream must be read or destroyed. */
export function onlyFile(request: FastifyRequest): Readable {
  async function* bytes(): AsyncGenerator<Buffer> {
    let count = 0;
    for await (const { content } of formFiles(request)) {
      if (++count > 1) throw fail.invalidInput('upload', 'holds more than one archive');
      yield* content;
    }
    if (count === 0) throw fail.invalidInput('upload', 'holds no files');
  }
  return Readable.from(bytes(), { objectMode: false });
}

function parserOf(request: FastifyRequest): Parser {
  try {
    const headers = { ...request.headers, 'content-type': request.headers['content-type'] ?? '' };
    return new Busboy({ headers, preservePath: true, limits });
  } catch {
    // The content type names no boundary.
    throw damaged();
  }
}

function damaged(): BotelError {
  return fail.invalidInput('upload', 'is damaged or not a form');
}

/** As fast as the files are read. The body stays usable: the answer uses its connection. */
async function receive(body: Readable, form: Parser, signal: AbortSignal): Promise<void> {
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    if (signal.aborted) return;
    if (!form.write(chunk)) await once(form, 'drain', { signal });
  }
  form.end();
}

/** Reverts the browsers' escaping of three characters in file names. */
function unescape(name: string): string {
  return name.replace(/%22/g, '"').replace(/%0D/g, '\r').replace(/%0A/g, '\n');
}
