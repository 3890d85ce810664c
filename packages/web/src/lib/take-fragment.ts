// The secret behind `#` in the address: read once, and gone from the address bar and the history.

/** The fragment without `#`, or null. */
export function takeFragment(): string | null {
  const fragment = location.hash.slice(1);
  if (fragment === '') return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return fragment;
}
