// From which part of a limit on a meter warns, and from which it is bad.
export const warnFrom = 0.75;
export const badFrom = 0.9;
