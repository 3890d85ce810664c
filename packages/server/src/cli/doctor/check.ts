// Checks of the doctor. They inspect and advise, and change nothing.
import type { DoctorCheck, FindingState } from '@botel/contract/vocabulary';
import type { Config } from '../../core/config/config.ts';

/** `warn`: works, but worth knowing. `fix`: does not work; `advice` says what the operator does. */
export interface Finding {
  state: FindingState;
  text: string;
  advice?: string;
}

export interface Check {
  name: DoctorCheck;
  run(config: Config): Promise<Finding[]>;
}

export const ok = (text: string): Finding => ({ state: 'ok', text });
export const warn = (text: string, advice?: string): Finding => ({ state: 'warn', text, advice });
export const fix = (text: string, advice: string): Finding => ({ state: 'fix', text, advice });
