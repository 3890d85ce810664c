// Rust, built by cargo unless the startup command is `cargo run`.
import { fileValue, type LanguageDefinition, memoryValues } from './language.ts';

export const rust: LanguageDefinition = {
  versions: ['1.85'],
  pidsLimit: 128,
  interpreters: [],
  image: {
    officialImage: (version) => `rust:${version}-slim-trixie`,
    buildDuration: 'about a minute',
    trustEnvironment: {},
  },
  build: {
    plan(startupCommand, { names, manifests }) {
      if (!names.has('Cargo.toml') || /^\s*cargo\s+run\b/.test(startupCommand)) return null;
      const locked = names.has('Cargo.lock') ? ' --locked' : '';
      const sources = ['.rs', 'Cargo.toml', 'src/'];
      return { command: `cargo build --release${locked}`, inputs: manifests, sources };
    },
    manifests: ['Cargo.toml', 'Cargo.lock'],
    inspected: [],
    sources: ['.rs'],
    generated: ['.cargo', 'target'],
  },
  downloads: null,
  hints: [
    { code: 'heap', pattern: /memory allocation of \d+ bytes failed/, values: memoryValues },
    { code: 'file_missing', pattern: /could not find `Cargo\.toml` in /, values: fileValue('Cargo.toml') },
    { code: 'file_missing', pattern: /no targets specified in the manifest/, values: fileValue('src/main.rs') },
    { code: 'file_missing', pattern: /couldn't read `?(?<file>[\w@./ +-]{1,100})`?: No such file/ },
    {
      code: 'module_rust',
      pattern:
        /(?:use of undeclared crate or module|unresolved module or unlinked crate|can't find crate for|no matching package named) `(?<module>[\w-]{1,100})`/,
    },
  ],
};
