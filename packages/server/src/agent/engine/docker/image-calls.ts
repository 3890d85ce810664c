// The engine's image calls. Each turns progress output into success or one EngineError.
import { Readable } from 'node:stream';
import { EngineError } from '../engine.ts';
import { accepted } from './accepted.ts';
import { BuildOutput } from './build-output.ts';
import { type DockerClient, messageOf, type StreamedAnswer } from './client.ts';
import { jsonLines } from './json-lines.ts';

const removeTimeoutMs = 60_000;

/** Id of the image with `tag` (`name:tag`), null when there is none. */
export async function findImageId(client: DockerClient, tag: string): Promise<string | null> {
  const answer = await client.request('GET', `/images/${tag}/json`);
  return answer.status === 404 ? null : (accepted(answer, 200) as { Id: string }).Id;
}

/** Gives up when the registry has not answered within `firstAnswerMs`. */
export async function pullImage(
  client: DockerClient,
  image: string,
  { firstAnswerMs, signal }: { firstAnswerMs: number; signal: AbortSignal },
): Promise<void> {
  const patience = new AbortController();
  const noAnswer = new EngineError('timeout', 'The image registry did not answer in time');
  const timer = setTimeout(() => patience.abort(noAnswer), firstAnswerMs);
  try {
    const [fromImage, tag] = image.split(':');
    const answer = await client.stream('POST', '/images/create', {
      query: { fromImage, tag },
      signal: AbortSignal.any([patience.signal, signal]),
    });
    await readOutput(answer, () => clearTimeout(timer));
  } finally {
    clearTimeout(timer);
  }
}

/** Ids of all images with `label` (`name=value`). */
export async function labelledImages(client: DockerClient, label: string): Promise<string[]> {
  const filters = JSON.stringify({ label: [label] });
  const rows = accepted(await client.request('GET', '/images/json', { query: { filters } }), 200) as { Id: string }[];
  return rows.map(({ Id }) => Id);
}

/** The value of an image's label, '' when it has none; null when there is no such image. */
export async function labelOf(client: DockerClient, imageId: string, name: string): Promise<string | null> {
  const answer = await client.request('GET', `/images/${imageId}/json`);
  if (answer.status === 404) return null;
  const { Config } = accepted(answer, 200) as { Config: { Labels: Record<string, string> | null } };
  return Config.Labels?.[name] ?? '';
}

/** Removes an image unless a container or another image uses it (409); a missing one is fine. */
export async function removeImage(client: DockerClient, imageId: string): Promise<void> {
  accepted(await client.request('DELETE', `/images/${imageId}`, { timeoutMs: removeTimeoutMs }), 200, 404, 409);
}

/**
 * Builds `tag` from a tar stream that holds a Dockerfile, without the engine's cache: it would
 * reuse the old packages of an image that was removed for newer ones. Rejects with EngineError
 * carrying the last lines of output.
 */
export async function buildImage(
  client: DockerClient,
  context: AsyncIterable<Buffer>,
  options: { tag: string; arguments: Record<string, string>; labels?: Record<string, string>; signal: AbortSignal },
): Promise<void> {
  const buildargs = JSON.stringify(options.arguments);
  const labels = JSON.stringify(options.labels ?? {});
  const answer = await client.upload('POST', '/build', {
    query: { t: options.tag, buildargs, labels, nocache: true, rm: true, forcerm: true },
    contentType: 'application/x-tar',
    body: Readable.from(context, { objectMode: false }),
    signal: options.signal,
  });
  await readOutput(answer);
}

/** Creates `repository:tag` from a tar stream of a whole system. Rejects with EngineError. */
export async function importImage(
  client: DockerClient,
  system: AsyncIterable<Buffer>,
  options: { repository: string; tag: string; signal: AbortSignal },
): Promise<void> {
  const answer = await client.upload('POST', '/images/create', {
    query: { fromSrc: '-', repo: options.repository, tag: options.tag },
    contentType: 'application/x-tar',
    body: Readable.from(system, { objectMode: false }),
    signal: options.signal,
  });
  await readOutput(answer);
}

interface OutputRecord {
  stream?: string;
  status?: string;
  error?: string;
}

/** Reads all progress output: it reports a failure after the status 200. */
async function readOutput(answer: StreamedAnswer, onRecord: () => void = () => {}): Promise<void> {
  if (answer.status >= 300) {
    let text = '';
    for await (const record of jsonLines(answer) as AsyncIterable<unknown>) text ||= messageOf(record);
    throw new EngineError('refused', text || `The engine answered ${answer.status}`);
  }
  const output = new BuildOutput();
  for await (const record of jsonLines(answer) as AsyncIterable<OutputRecord>) {
    onRecord();
    if (record.error) throw new EngineError('refused', output.endWith(record.error));
    if (record.stream) output.add(record.stream);
  }
}
