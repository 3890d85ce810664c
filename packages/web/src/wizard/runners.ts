// Which files programs of each language begin with, and the command that runs them. Pure.
import { type Language, languages } from '@botel/contract/vocabulary';

type Runner = [file: RegExp, command: (main: string) => string];

const runners: Partial<Record<Language, readonly Runner[]>> = {
  nodejs: [[/\.[cm]?[jt]s$/, (main) => `node ${main}`]],
  python: [[/\.py$/, (main) => `python ${main}`]],
  java: [
    [/\.jar$/, (main) => `java -jar ${main}`],
    [/\.java$/, (main) => `java ${main}`],
  ],
  go: [[/(^|\/)(go\.mod|[^/]+\.go)$/, () => 'go run .']],
  rust: [[/(^|\/)(Cargo\.toml|[^/]+\.rs)$/, () => 'cargo run --release']],
};

/** Language and command for a program's main file; null = unknown. */
export function runnerOf(main: string): { language: Language; command: string } | null {
  for (const language of languages) {
    const found = runners[language]?.find(([file]) => file.test(main));
    if (found) return { language, command: found[1](main) };
  }
  return null;
}
