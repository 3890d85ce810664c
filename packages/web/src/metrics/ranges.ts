// How far back the numbers of a bot can be looked at; `live` is the last quarter of an hour, as it goes on.
export const ranges = ['live', '15m', '1h', '6h', '24h', '7d', '30d'] as const;
export type Range = (typeof ranges)[number];
