// What can be said of a subdomain before the server is asked. Pure; the server judges again.

const least = 3;
const most = 32;

/** Which rule is broken; null = none. */
export function subdomainFault(name: string): 'length' | 'characters' | null {
  const { length } = [...name];
  if (length < least || length > most) return 'length';
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name) ? null : 'characters';
}
