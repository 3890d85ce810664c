// Parses the engine's description of itself. Pure.
import type { EngineInfo } from '../engine.ts';
import type { KnownRuntimes } from './oci-runtime.ts';

/** The fields used of the answer to `GET /info`. */
export interface InfoBody {
  ServerVersion: string;
  LiveRestoreEnabled: boolean;
  NCPU: number;
  MemTotal: number;
  DockerRootDir: string;
  Runtimes: KnownRuntimes;
}

export function engineInfoOf(facts: InfoBody, apiVersion: string): EngineInfo {
  return {
    version: facts.ServerVersion,
    apiVersion,
    liveRestore: facts.LiveRestoreEnabled,
    cpus: facts.NCPU,
    memoryBytes: facts.MemTotal,
    rootDirectory: facts.DockerRootDir,
  };
}
