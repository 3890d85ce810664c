// Parses /etc/os-release: this machine's distribution. Pure.

export interface Distribution {
  /** Lower case, `debian`, `ubuntu`, `fedora` …; '' when unknown. */
  id: string;
  /** Related distributions, nearest first. */
  like: string[];
  /** Display name. */
  name: string;
}

/** Parses the file's text; empty text yields an unknown distribution. */
export function readOsRelease(text: string): Distribution {
  const fields = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, key, value] = /^([A-Z_]+)=(.*)$/.exec(line.trim()) ?? [];
    if (key !== undefined && value !== undefined) fields.set(key, value.replace(/^(["'])(.*)\1$/, '$2'));
  }
  return {
    id: (fields.get('ID') ?? '').toLowerCase(),
    like: (fields.get('ID_LIKE') ?? '').toLowerCase().split(' ').filter(Boolean),
    name: fields.get('PRETTY_NAME') || fields.get('NAME') || 'an unknown system',
  };
}

/** Whether apt-get and Debian's package names are available. */
export function isDebianLike({ id, like }: Distribution): boolean {
  return [id, ...like].some((name) => name === 'debian' || name === 'ubuntu');
}
