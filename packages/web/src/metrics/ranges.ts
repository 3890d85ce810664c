// How far back the numbers of a bot can be looked at; `live` is the last quarter of an hour, as it goes on.
import { metricsRanges } from '@botel/contract/vocabulary';
export const ranges = ['live', ...metricsRanges] as const;
export type Range = (typeof ranges)[number];
