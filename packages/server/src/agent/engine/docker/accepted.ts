// Turns an unexpected status of the engine into an error.
import { EngineError } from '../engine.ts';
import { type Answer, messageOf } from './client.ts';

/** The body of an answer with one of `statuses`; else throws `refused` with the engine's text. */
export function accepted(answer: Answer, ...statuses: number[]): unknown {
  if (statuses.includes(answer.status)) return answer.body;
  throw new EngineError('refused', messageOf(answer.body) || `The engine answered ${answer.status}`);
}
