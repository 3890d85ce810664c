// Reads /etc/os-release: which distribution this machine runs. Pure.

export interface Distribution {
  /** Lower case, `debian`, `ubuntu`, `fedora` …; '' when unknown. */
  id: string;
  /** What it is like, nearest first. */
  like: string[];
  /** For people. */
  name: string;
}

/** Takes the file's text; an empty text gives an unknown distribution. */
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

/** Whether apt-get and Debian's package names can be expected. */
export function isDebianLike({ id, like }: Distribution): boolean {
  return [id, ...like].some((name) => name === 'debian' || name === 'ubuntu');
}
