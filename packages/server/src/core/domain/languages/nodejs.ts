// Node.js. Where no registry answers, agent/engine/docker/node-runtime.ts provides node and npm.
import { extraAuthorities, type LanguageDefinition, memoryValues, processValues } from './language.ts';
import { nodeInstall } from './node-install.ts';

export const nodejs: LanguageDefinition = {
  versions: ['24', '22', '20'],
  pidsLimit: 128,
  interpreters: ['node'],
  image: {
    officialImage: (version) => `node:${version}-trixie-slim`,
    buildDuration: 'a few seconds',
    trustEnvironment: { NODE_EXTRA_CA_CERTS: extraAuthorities },
  },
  build: {
    plan(_startupCommand, { names, manifests, texts }) {
      const packageJson = texts.get('package.json');
      if (packageJson === undefined || !hasDependencies(packageJson)) return null;
      const lock = texts.get('pnpm-lock.yaml') ?? texts.get('yarn.lock') ?? '';
      return { command: nodeInstall({ names, packageJson, lock }), inputs: manifests, sources: [] };
    },
    manifests: [
      'package.json',
      'package-lock.json',
      'npm-shrinkwrap.json',
      'yarn.lock',
      'pnpm-lock.yaml',
      'pnpm-workspace.yaml',
      '.npmrc',
      '.yarnrc',
      '.yarnrc.yml',
      'tsconfig.json',
    ],
    inspected: [
      ['package.json', 1024 * 1024],
      ['pnpm-lock.yaml', 1024],
      ['yarn.lock', 1024],
    ],
    sources: ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'],
    generated: ['.npm', 'dist', 'node_modules'],
  },
  // npm needs no variable: its own cache is filled from the downloads.
  downloads: {},
  hints: [
    { code: 'threads', pattern: /\bspawn \S{1,200} EAGAIN|^Error: EAGAIN$/, values: processValues },
    { code: 'heap', pattern: /JavaScript heap out of memory/, values: memoryValues },
    { code: 'module_node', pattern: /Cannot find package '(?<module>[\w@./-]{1,100})'/ },
    { code: 'file_missing', pattern: /Cannot find module '(?<file>\.{0,2}\/[\w@./ +-]{1,100})'/ },
    { code: 'module_node', pattern: /Cannot find module '(?<module>[\w@./-]{1,100})'/ },
    {
      code: 'esm_cjs',
      pattern:
        /Cannot use import statement outside a module|(?:require|module|exports|__dirname) is not defined in ES module scope/,
    },
  ],
};

function hasDependencies(packageJson: string): boolean {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(packageJson);
  } catch {
    // npm itself reports what is wrong with it.
    return true;
  }
  return ['dependencies', 'devDependencies', 'optionalDependencies'].some((kind) => {
    const list = parsed?.[kind];
    return typeof list === 'object' && list !== null && Object.keys(list).length > 0;
  });
}
