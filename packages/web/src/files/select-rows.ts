// Which rows are selected after a click. Pure.

interface Click {
  name: string;
  /** Start of a range selection; null = only this row. */
  from: string | null;
}

/** `names` in list order. A single row toggles; a range takes the clicked row's new state. */
export function selectRow(
  names: readonly string[],
  selected: ReadonlySet<string>,
  { name, from }: Click,
): ReadonlySet<string> {
  const next = new Set(selected);
  const isWanted = !selected.has(name);
  const [at, begin] = [names.indexOf(name), from === null ? -1 : names.indexOf(from)];
  const stretch = begin < 0 ? [name] : names.slice(Math.min(at, begin), Math.max(at, begin) + 1);
  for (const each of stretch) {
    if (isWanted) next.add(each);
    else next.delete(each);
  }
  return next;
}
