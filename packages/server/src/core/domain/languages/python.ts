// Python, with pip in a venv of the bot's own.
import { allAuthorities, downloadsPath, type LanguageDefinition, memoryValues } from './language.ts';

export const python: LanguageDefinition = {
  versions: ['3.13'],
  pidsLimit: 128,
  interpreters: ['python', 'python3'],
  image: {
    officialImage: (version) => `python:${version}-slim-trixie`,
    buildDuration: 'about a quarter of a minute',
    trustEnvironment: { REQUESTS_CA_BUNDLE: allAuthorities },
  },
  build: {
    plan(_startupCommand, { names, manifests, texts }) {
      const pyproject = texts.get('pyproject.toml');
      if (!names.has('requirements.txt') && pyproject === undefined) return null;
      // The venv of another runtime would not work, so each build makes a new one.
      const venv = 'python3 -m venv --clear .venv';
      const install = '.venv/bin/pip install --no-cache-dir --disable-pip-version-check';
      const steps = names.has('requirements.txt')
        ? [venv, `${install} -r requirements.txt`]
        : isPackage(pyproject ?? '')
          ? // In place: changed sources need no other build.
            [venv, `${install} -e .`]
          : [venv, `${listDependencies} > .venv/dependencies.txt`, `${install} -r .venv/dependencies.txt`];
      return { command: steps.join(' && '), inputs: manifests, sources: [] };
    },
    manifests: ['requirements.txt', 'pyproject.toml'],
    inspected: [['pyproject.toml', 1024 * 1024]],
    sources: ['.py', '.pyx', '.c', '.h'],
    generated: ['.venv', 'venv', '__pycache__'],
  },
  downloads: { PIP_FIND_LINKS: downloadsPath },
  hints: [
    { code: 'heap', pattern: /^(?:\w+\.)*MemoryError\b/, values: memoryValues },
    { code: 'file_missing', pattern: /can't open file '(?<file>[\w@./ +-]{1,100})'/ },
    { code: 'module_python', pattern: /No module named '?(?<module>[\w.]{1,100})/ },
  ],
};

/** Whether a pyproject.toml declares how to build it, instead of only listing dependencies. */
function isPackage(pyproject: string): boolean {
  return /^\s*\[build-system\]/m.test(pyproject);
}

const listDependencies =
  `python3 -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb")).get("project", {}); ` +
  `print(*project.get("dependencies", []), sep="\\n")'`;
