// Finds the language version a project requires in its own files. Pure.
import type { BotData } from '@botel/contract/bots';
import type { Language } from '@botel/contract/vocabulary';

export interface VersionGuess {
  version: string;
  /** The file it comes from. */
  because: string;
}

interface Requirement {
  major: number;
  /** Newer versions are accepted too. */
  orNewer: boolean;
  because: string;
}

/** Top-level files that may name a version. */
export const versionFiles = ['package.json', '.nvmrc', '.node-version', 'pom.xml'] as const;

type Texts = Partial<Record<(typeof versionFiles)[number], string>>;

/** Languages whose projects say which version they need. */
const requirementOf: Partial<Record<Language, (texts: Texts) => Requirement | null>> = {
  nodejs: nodeRequirement,
  java: javaRequirement,
};

/** The newest version that fits if the current one doesn't; null = no change needed. */
export function guessVersion(
  { language, runtime_version: present }: Pick<BotData, 'language' | 'runtime_version'>,
  versions: readonly string[],
  texts: Texts,
): VersionGuess | null {
  const required = requirementOf[language]?.(texts);
  if (!required) return null;
  const fits = (version: string) => {
    const major = Number.parseInt(version, 10);
    return required.orNewer ? major >= required.major : major === required.major;
  };
  if (fits(present)) return null;
  const [newest] = versions.filter(fits).sort((one, other) => Number.parseInt(other, 10) - Number.parseInt(one, 10));
  return newest === undefined ? null : { version: newest, because: required.because };
}

function nodeRequirement(texts: Texts): Requirement | null {
  for (const because of ['.nvmrc', '.node-version'] as const) {
    const major = /^\s*v?(\d+)/.exec(texts[because] ?? '')?.[1];
    if (major) return { major: Number(major), orNewer: false, because };
  }
  const [, sign, major] = /^\s*(>=|\^|~|=)?\s*v?(\d+)[\d.x*\s]*$/.exec(nodeEngine(texts['package.json'])) ?? [];
  return major ? { major: Number(major), orNewer: sign === '>=', because: 'package.json' } : null;
}

function nodeEngine(packageJson: string | undefined): string {
  try {
    const { engines } = JSON.parse(packageJson ?? '{}') as { engines?: { node?: unknown } };
    return typeof engines?.node === 'string' ? engines.node : '';
  } catch {
    return '';
  }
}

function javaRequirement(texts: Texts): Requirement | null {
  const major = /<(?:maven\.compiler\.(?:release|source)|java\.version)>\s*(\d+)\s*</.exec(texts['pom.xml'] ?? '')?.[1];
  return major ? { major: Number(major), orNewer: true, because: 'pom.xml' } : null;
}
