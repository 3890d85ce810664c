// OCI runtimes that the engine has, and the errors for a missing one.
import { EngineError } from '../engine.ts';
import { type Answer, messageOf } from './client.ts';

/** The runtimes as `/info` lists them. */
export type KnownRuntimes = Record<string, { path?: string; runtimeArgs?: string[] | null }>;

/** Upper bound for any container. */
const pidsMax = 512;

/** Doubled, within bounds, for gVisor, which needs a thread of its own per thread. */
export function pidsLimitIn(runtime: string, limit: number): number {
  return runtime.startsWith('runsc') ? Math.max(limit, Math.min(2 * limit, pidsMax)) : limit;
}

export function refuseUnknownRuntime(known: KnownRuntimes, name: string): void {
  if (!Object.hasOwn(known, name)) throw unknownRuntime(name);
}

/** Throws `refused` when the engine did not create a container because it lacks its runtime. */
export function refuseMissingRuntime({ status, body }: Answer, name: string): void {
  if (status >= 400 && /unknown (or invalid )?runtime/i.test(messageOf(body))) throw unknownRuntime(name);
}

function unknownRuntime(name: string): EngineError {
  return new EngineError('refused', `The engine has no container runtime "${name}"`);
}
