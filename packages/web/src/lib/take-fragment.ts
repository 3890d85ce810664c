// Reads the secret in the URL fragment once, and removes it from address bar and history.

/** The fragment without `#`, or null. */
export function takeFragment(): string | null {
  const fragment = location.hash.slice(1);
  if (fragment === '') return null;
  history.replaceState(history.state, '', location.pathname + location.search);
  return fragment;
}
