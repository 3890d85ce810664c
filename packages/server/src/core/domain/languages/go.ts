// Go, built to one binary unless the startup command is `go run`.
import { downloadsPath, fileValue, type LanguageDefinition, memoryValues } from './language.ts';

export const go: LanguageDefinition = {
  versions: ['1.24'],
  pidsLimit: 128,
  interpreters: [],
  image: {
    officialImage: (version) => `golang:${version}-trixie`,
    buildDuration: 'about half a minute',
    trustEnvironment: {},
  },
  build: {
    plan(startupCommand, { names, manifests }) {
      if (!names.has('go.mod') || /^\s*go\s+run\b/.test(startupCommand)) return null;
      return { command: 'go build -o bot .', inputs: manifests, sources: ['.go', 'go.mod'] };
    },
    manifests: ['go.mod', 'go.sum', 'go.work'],
    inspected: [],
    sources: ['.go'],
    generated: [],
  },
  // Go's default, after what is on this machine.
  downloads: { GOPROXY: `file://${downloadsPath},https://proxy.golang.org,direct` },
  hints: [
    {
      code: 'heap',
      pattern: /fatal error: (?:runtime: )?(?:cannot allocate|out of) memory/,
      values: memoryValues,
    },
    { code: 'file_missing', pattern: /^go: go\.mod file not found/, values: fileValue('go.mod') },
    { code: 'file_missing', pattern: /\bno Go files in /, values: fileValue('main.go') },
    { code: 'file_missing', pattern: /^stat (?<file>[\w@./ +-]{1,100}): no such file/ },
    {
      code: 'module_go',
      pattern:
        /(?:no required module provides|cannot find module providing|missing go\.sum entry for module providing) package (?<module>[\w./~-]{1,100})/,
      // A colon, a semicolon or a space follows the package; a full stop belongs to the sentence.
      values: ({ module = '' }) => ({ module: module.replace(/\.$/, '') }),
    },
    { code: 'module_go', pattern: /package (?<module>[\w./~-]{1,100}) is not in std/ },
  ],
};
