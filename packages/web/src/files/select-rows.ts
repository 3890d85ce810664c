// Which rows of a list are chosen after one of them was clicked. Pure.

interface Click {
  name: string;
  /** The row that was chosen before, when all from there on are meant; null = only this one. */
  from: string | null;
}

/** `names` in the order of the list. A single row turns over; those of a stretch become what the clicked one becomes. */
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
