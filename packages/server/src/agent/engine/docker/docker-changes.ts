// Turns the engine's events into wake-ups of bots; what happened is what inspect says.
import { type EngineChange, EngineError } from '../engine.ts';
import type { DockerClient } from './client.ts';
import { labelNames } from './create-body.ts';
import { jsonLines } from './json-lines.ts';

interface EngineEvent {
  Action?: string;
  Actor?: { Attributes?: Record<string, string> };
}

/** Yields `connected`, then wake-ups, until `signal` aborts; rejects when the connection breaks. */
export async function* dockerChanges(
  client: Pick<DockerClient, 'stream'>,
  installId: string,
  signal: AbortSignal,
): AsyncGenerator<EngineChange, void, void> {
  const filters = JSON.stringify({
    type: ['container'],
    label: [`${labelNames.install}=${installId}`],
    event: ['create', 'start', 'die', 'oom', 'destroy'],
  });
  // The engine answers just before it subscribes; repeating the current second closes the gap.
  const since = Math.floor(Date.now() / 1000);
  try {
    const lines = jsonLines(await client.stream('GET', '/events', { query: { filters, since }, signal }));
    yield { kind: 'connected' };
    for await (const line of lines) {
      const { Action, Actor } = line as EngineEvent;
      const botId = Actor?.Attributes?.[labelNames.bot];
      if (botId) yield { kind: Action === 'oom' ? 'oom' : 'state', botId };
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  throw new EngineError('unavailable', 'The engine ended its stream of events');
}
