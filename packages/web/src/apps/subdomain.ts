// What can be said of a subdomain before the server is asked. Pure; the server judges again.

const minLength = 3;
const maxLength = 32;

/** What stands behind the name in an address with `*` for it: `.apps.example.com`. */
export function behindName(address: string): string {
  return address.slice(address.indexOf('*') + 1);
}

/** Names like one that is taken, each right by the rules; nobody knows yet whether they are free. */
export function namesLike(name: string): string[] {
  return [`${name}-bot`, `my-${name}`, `${name}-2`].filter((each) => subdomainFault(each) === null);
}

/** Which rule is broken; null = none. */
export function subdomainFault(name: string): 'length' | 'characters' | null {
  const { length } = [...name];
  if (length < minLength || length > maxLength) return 'length';
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) ? null : 'characters';
}
