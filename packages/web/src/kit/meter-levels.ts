// The parts of a limit from which a meter warns or turns bad.
export const warnFrom = 0.75;
export const badFrom = 0.9;
