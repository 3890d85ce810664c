// How far back the numbers of a bot can be looked at.
export const ranges = ['1h', '6h', '24h', '7d', '30d'] as const;
