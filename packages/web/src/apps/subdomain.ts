// The rules for subdomains that need no server. Pure; the server checks again.

const minLength = 3;
const maxLength = 32;

/** What follows `*` in such a URL: `.apps.example.com`. */
export function behindName(address: string): string {
  return address.slice(address.indexOf('*') + 1);
}

/** Valid names similar to a taken one; whether they are available isn't known yet. */
export function namesLike(name: string): string[] {
  return [`${name}-bot`, `my-${name}`, `${name}-2`].filter((each) => subdomainFault(each) === null);
}

/** The broken rule; null = none. */
export function subdomainFault(name: string): 'length' | 'characters' | null {
  const { length } = [...name];
  if (length < minLength || length > maxLength) return 'length';
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) ? null : 'characters';
}
