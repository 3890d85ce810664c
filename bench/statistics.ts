// Medians, percentiles and how they are written. Pure.

/** The value below which `part` (0 to 1) of the values lie; NaN without values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Three significant digits, thousands with commas. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return Number(value.toPrecision(3)).toLocaleString('en-US', { maximumFractionDigits: 3 });
}
