// What the Docker engine says about itself (`/info`).
import { DockerClient } from '../../agent/engine/docker/client.ts';

/** Rejects when no engine answers there. */
export async function engineInfo<T>(dockerHost: string): Promise<T> {
  const client = new DockerClient(dockerHost);
  try {
    return (await client.request('GET', '/info', { timeoutMs: 5_000 })).body as T;
  } finally {
    await client.close();
  }
}
