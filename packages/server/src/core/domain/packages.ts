// Validates the Debian packages that a bot requests beside its runtime. Pure.

/**
 * Sorted, without duplicates, so that equal choices give equal lists; or the index of the first
 * package that is not allowed.
 */
export function readPackages(
  given: readonly string[],
  allowed: readonly string[],
): { packages: string[] } | { fault: number } {
  const fault = given.findIndex((name) => !allowed.includes(name));
  return fault >= 0 ? { fault } : { packages: [...new Set(given)].toSorted() };
}
