// A container of a fake machine. Types only.
import type { ContainerSpec, ContainerUsage, Observation } from '../engine.ts';
import type { FakeProgram } from './fake-program.ts';

/** A container of the machine; `installId` is null for one that is not Botel's. */
export interface FakeContainer extends Observation {
  name: string;
  installId: string | null;
  spec: ContainerSpec | null;
  program: FakeProgram;
  /** Whether a stop is in progress: it continues without its caller. */
  stopping: boolean;
  /** Everything written to its stdin. */
  stdin: string;
  memoryPeakBytes: number;
  usage: Omit<ContainerUsage, 'memoryPeakBytes'>;
}
