// Validates names of Debian packages. Pure.

/** As in Debian's policy, without a trailing `-`, which makes apt-get remove the package. */
const packageName = /^[a-z0-9][a-z0-9+.-]{0,62}[a-z0-9+.]$/;

export function isPackageName(text: string): boolean {
  return packageName.test(text);
}
