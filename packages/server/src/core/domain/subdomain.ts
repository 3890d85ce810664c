// Rules for an app's subdomain (docs/specification.md). Pure; the store knows taken names.

const reservedNames: ReadonlySet<string> = new Set(
  (
    'api www admin dashboard account accounts app apps assets auth autoconfig autodiscover billing blog bot botel bots cdn ' +
    'console demo dev dns docs download ftp git grafana health help imap internal localhost login logs mail metrics monitor ' +
    'mx ns ns1 ns2 oauth panel pop pop3 prod proxy registry root s3 security sftp signup smtp ssh ssl staging static stats ' +
    'status support system test traefik ui upload vpn webhook webhooks webmail wpad ws'
  ).split(' '),
);

export function isReservedName(name: string): boolean {
  return reservedNames.has(name) || name.startsWith('xn--');
}

/** Why `name` can't be an app's name, or null when it can. Length counts characters. */
export function subdomainFault(name: string): string | null {
  const length = [...name].length;
  if (length < 3 || length > 32) return 'Must be between 3 and 32 characters.';
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) {
    return 'Only lowercase letters, numbers and hyphens. Cannot start or end with hyphen.';
  }
  if (isReservedName(name)) return reservedReason(name);
  return null;
}

export function reservedReason(name: string): string {
  return `"${name}" is a reserved name`;
}

export function takenReason(name: string): string {
  return `"${name}" is already taken`;
}

/** Address of the app `name`; `appsUrl` has `*` in place of the name. */
export function appUrl(name: string, appsUrl: string): string {
  return appsUrl.replace('*', name);
}
