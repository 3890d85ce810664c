// Debian packages that a bot asks for beside its runtime: which ones it may have. Pure.

/** Sorted and each once, so that the same choice is always the same list; or the place of the first that is not allowed. */
export function readPackages(
  given: readonly string[],
  allowed: readonly string[],
): { packages: string[] } | { fault: number } {
  const fault = given.findIndex((name) => !allowed.includes(name));
  return fault >= 0 ? { fault } : { packages: [...new Set(given)].toSorted() };
}
