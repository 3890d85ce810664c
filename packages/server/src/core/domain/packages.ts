// Validates the Debian packages that a bot requests beside its runtime. Pure.

/** Sorted and unique, so that equal choices give equal lists; or the index of a forbidden one. */
export function readPackages(
  given: readonly string[],
  allowed: readonly string[],
): { packages: string[] } | { fault: number } {
  const fault = given.findIndex((name) => !allowed.includes(name));
  return fault >= 0 ? { fault } : { packages: [...new Set(given)].toSorted() };
}
