// Time ranges of the metrics; `live` is the last 15 minutes, updated continuously.
import { metricsRanges } from '@botel/contract/vocabulary';
export const ranges = ['live', ...metricsRanges] as const;
export type Range = (typeof ranges)[number];
