// What tests do with a server on an engine of their own: give it images, and see whether the server
// sees the engine.
import type { Language } from '@botel/contract/vocabulary';
import { DockerClient } from '../../packages/server/src/agent/engine/docker/client.ts';
import { languageDefinitions } from '../../packages/server/src/core/domain/languages/languages.ts';
import { until } from '../../packages/server/test/support/until.ts';
import type { LocalServer } from './fixture.ts';
import type { OwnEngine } from './own-engine.ts';

/** Longest time for an answer of the API while the engine is away. */
export const answerMs = 1000;

/** The machine's images of the default version of each language, one of which is the server's. */
export async function copyRuntimeImages(engine: OwnEngine, languages: Language[] = ['nodejs']): Promise<void> {
  const machine = new DockerClient(process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock');
  const reference = languages.map((language) => `botel/${language}:${languageDefinitions[language].versions[0]}-*`);
  const filters = JSON.stringify({ reference });
  const { body } = await machine.request('GET', '/images/json', { query: { filters } });
  for (const tag of (body as { RepoTags: string[] }[]).flatMap(({ RepoTags }) => RepoTags))
    await engine.loadImage(machine, tag);
  await machine.close();
}

export function isReady({ client }: LocalServer): Promise<Response> {
  return client.fetch('GET', '/ready', { signal: AbortSignal.timeout(answerMs) });
}

export async function waitUntilAway(server: LocalServer): Promise<void> {
  await until(async () => (await isReady(server)).status === 503);
}
