// Whether a text is the name of a Debian package. Pure.

/** As Debian's policy has it, without a last `-`, which means removal to apt-get. Nothing else may reach apt-get. */
const packageName = /^[a-z0-9][a-z0-9+.-]{0,62}[a-z0-9+.]$/;

export function isPackageName(text: string): boolean {
  return packageName.test(text);
}
