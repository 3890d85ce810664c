// Authorities that this machine trusts besides the public ones, for bots behind a TLS proxy.
import { X509Certificate } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';

const machineBundle = '/etc/ssl/certs/ca-certificates.crt';
/** Not trusted in addition: a newer image has dropped what an old list still contains. */
const distributionAuthorities = '/usr/share/ca-certificates/**/*.crt';

/** PEM texts of the authorities in `extraCaFile` ('' = none) and of the machine's own ones. */
export async function extraAuthorities(extraCaFile: string): Promise<string[]> {
  const publicOnes = [...rootCertificates];
  for await (const path of glob(distributionAuthorities)) publicOnes.push(await readText(path));
  const known = new Set(certificates(publicOnes.join('\n')).map(([key]) => key));
  const found = new Map<string, string>();
  if (extraCaFile) for (const [key, pem] of certificates(await readText(extraCaFile))) found.set(key, pem);
  for (const [key, pem] of certificates(await readText(machineBundle).catch(() => ''))) {
    if (!known.has(key)) found.set(key, pem);
  }
  return [...found.values()];
}

/** Fingerprint and PEM of each certificate in `text`. Throws on an unreadable one. */
function certificates(text: string): [string, string][] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((pem) => [new X509Certificate(pem).fingerprint256, `${pem}\n`]);
}

function readText(path: string): Promise<string> {
  return readFile(path, 'latin1');
}
