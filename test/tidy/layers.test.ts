// Who may import whom. The table is the architecture; each forbidden edge is reported with the
// reason for it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isTest, type SourceFile, type SourceImport, sourceFiles } from './source-files.ts';

interface Layer {
  /** Layers of which everything may be imported. */
  uses: string[];
  /** Layers of which only types may be imported. */
  typesOf?: string[];
  /** Single files beyond that. */
  files?: string[];
  /** Why nothing else. */
  because: string;
}

/** Errors of the engine are caught by class. */
const engineInterface = 'packages/server/src/agent/engine/engine.ts';
const alone =
  'it does one thing for compose.ts to join with others, so that each can be replaced and tested without them';

/**
 * Words that the API serves are those of the domain, so the domain takes them from here, and so
 * does every layer that uses the domain. Of the contract it is the only file for them: it loads no
 * schema.
 */
const vocabulary = 'packages/contract/src/vocabulary.ts';

/** Which processes each may import, before any folder is looked at. */
const processes: Record<string, { uses: string[]; because: string }> = {
  core: { uses: [], because: 'core is what every process needs: it knows none of them' },
  api: { uses: ['core'], because: 'the api faces the network: it reaches the agent through AgentClient only' },
  agent: { uses: ['core'], because: 'the agent is root on its machine: nothing that faces the network is in it' },
  gateway: {
    uses: ['core'],
    because: 'the gateway faces strangers: it is handed routes and has no engine within reach',
  },
};

/** The folders of packages/server/src, by process; `cli` and main.ts put processes together and may
 * import everything. */
const layers: Record<string, Layer> = {
  'core/lib': { uses: [], because: 'lib has no word of our domain' },
  'core/domain': { uses: ['core/lib'], because: 'rules are pure: no time, no randomness, no input or output' },
  'core/config': { uses: ['core/lib'], because: 'settings are read before anything else is there' },
  'core/store': { uses: ['core/domain', 'core/lib'], because: alone },
  'core/logs': { uses: ['core/domain', 'core/lib'], because: alone },
  'core/link': {
    uses: ['core/domain', 'core/lib'],
    because: 'wake-ups have no meaning on the way; those at its ends give them one',
  },
  'core/data-folder': {
    uses: ['core/config', 'core/domain', 'core/lib', 'core/logs', 'core/store'],
    because: 'every process opens the data folder before it makes anything of its own',
  },
  'core/http': {
    uses: ['core/domain', 'core/lib', 'contract'],
    typesOf: ['core/services', 'core/store'],
    because: 'how a request is admitted and answered does not depend on what is asked for',
  },
  'core/services': {
    uses: ['core/domain', 'core/lib', 'core/store'],
    typesOf: ['core/data-folder', 'core/link'],
    because: 'what api and agent share reaches neither of them',
  },
  api: { uses: ['core/*', 'api/*'], because: 'compose.ts and the way to the agent know all of the api' },
  'api/services': {
    uses: ['core/domain', 'core/store', 'core/lib', 'core/logs', 'core/services', 'contract'],
    typesOf: ['core/data-folder', 'core/link'],
    because: 'services store the desired state and return; what acts on containers is the reconciler',
  },
  'api/http': {
    uses: ['core/http', 'core/services', 'api/services', 'core/domain', 'core/lib', 'contract'],
    typesOf: ['core/link'],
    files: ['packages/server/src/core/config/version.ts'],
    because: 'a route calls one service; stores and engines are out of its reach',
  },
  'api/routes': {
    uses: ['core/http', 'core/services', 'api/http', 'api/services', 'core/domain', 'core/lib', 'contract'],
    files: ['packages/server/src/core/config/version.ts'],
    because: 'a route calls one service; stores and engines are out of its reach',
  },
  agent: { uses: ['core/*', 'agent/*'], because: 'compose.ts and what the api calls know all of the agent' },
  'agent/routes': {
    uses: ['core/http', 'core/domain', 'core/lib', 'agent/services', 'contract'],
    because: 'a route calls one service; homes and engines are out of its reach',
  },
  'agent/services': {
    uses: ['core/domain', 'core/lib', 'core/store', 'core/services', 'contract'],
    typesOf: ['core/data-folder', 'core/logs', 'agent/backups', 'agent/homes', 'agent/work'],
    because: 'what a caller may do with files is decided here and done by homes and backups',
  },
  'agent/engine': { uses: ['core/domain', 'core/lib'], because: alone },
  'agent/work': { uses: ['core/domain', 'core/lib'], because: alone },
  'agent/homes': { uses: ['core/domain', 'core/lib', 'core/data-folder', 'agent/work'], because: alone },
  'agent/backups': { uses: ['core/domain', 'core/lib'], because: alone },
  'agent/builds': { uses: ['core/domain', 'core/lib', 'agent/homes', 'agent/work'], because: alone },
  'agent/capture': {
    uses: ['core/domain', 'core/lib', 'core/logs'],
    typesOf: ['agent/engine', 'core/store'],
    because: alone,
  },
  'agent/network': {
    uses: ['core/lib'],
    because: 'the firewall knows addresses and devices, not bots: it must hold whatever they are',
  },
  'agent/reconciler': {
    uses: ['core/domain', 'core/lib', 'core/store'],
    typesOf: [
      'core/data-folder',
      'core/logs',
      'agent/engine',
      'agent/capture',
      'agent/homes',
      'agent/network',
      'agent/builds',
      'agent/work',
    ],
    files: [engineInterface],
    because: 'the reconciler reads the desired state from the store; the api must work without it',
  },
  'agent/tasks': {
    uses: ['core/domain', 'core/lib', 'core/store'],
    typesOf: [
      'core/data-folder',
      'core/logs',
      'agent/engine',
      'agent/capture',
      'agent/homes',
      'agent/network',
      'agent/builds',
    ],
    because: 'tasks take no input: nobody calls them, and they call no service',
  },
  'gateway/compose': { uses: ['core/*', 'gateway'], because: 'compose.ts knows all of the gateway' },
  gateway: {
    uses: ['core/domain', 'core/lib'],
    typesOf: ['core/logs', 'core/store'],
    because:
      'the gateway faces strangers: it is handed routes, and has neither desired state nor an engine within reach',
  },
  cli: { uses: ['everything'], because: '' },
};

/** Folders of packages/web/src, each with those that it may import; those that are not here are
 * features of pages. */
const webFolders: Record<string, string[]> = {
  lib: [],
  texts: ['lib'],
  kit: ['lib', 'texts'],
  api: ['lib'],
};
/** Nothing but pages, the router and the page's begin may stand on these. */
const webFrames = ['shell', 'pages'];
/** What of the contract runs in a browser: all else brings Zod with it. */
const inBrowsers = new Set(
  ['client', 'events', 'secret-forms', 'vocabulary'].map((name) => `packages/contract/src/${name}.ts`),
);

/** Why a file of the dashboard may not import this, or null when it may. */
function webFault(file: SourceFile, { target, typeOnly }: SourceImport): string | null {
  if (layerOf(target) === 'contract')
    return typeOnly || inBrowsers.has(target) ? null : 'pages have the types of the contract, not its schemas';
  const folderOf = (path: string) => /^packages\/web\/src\/([^/]+)\//.exec(path)?.[1] ?? null;
  const [from, to] = [folderOf(file.path), folderOf(target)];
  if (from === null || from === to) return null;
  if (to === null) return 'the router knows the pages, they do not know it';
  const allowed = webFolders[from];
  if (allowed) return allowed.includes(to) ? null : `${from} stands on ${allowed.join(', ') || 'nothing'}`;
  if (from === 'pages' || !webFrames.includes(to)) return null;
  return 'what pages are made of knows neither pages nor their frame';
}

/** Layer of a file: a folder of a process of the server, the name of another package, or `root` for
 * main.ts. */
function layerOf(path: string): string {
  const [, packageName = 'root', inside = ''] = /^packages\/([^/]+)\/src\/(?:(.+)\/)?[^/]+$/.exec(path) ?? [];
  if (packageName !== 'server') return packageName;
  const [process = '', folder] = inside.split('/');
  if (process === '') return 'root';
  if (path === 'packages/server/src/gateway/compose.ts') return 'gateway/compose';
  return process === 'cli' || process === 'gateway' || !folder ? process : `${process}/${folder}`;
}

/** Why the file may not import this, or null when it may. */
function fault(file: SourceFile, { target, typeOnly }: SourceImport): string | null {
  const from = layerOf(file.path);
  if (!target.startsWith('packages/') || target.endsWith('.json')) return null;
  const to = layerOf(target);
  if (from === 'web' && (to === 'web' || to === 'contract')) return webFault(file, { target, typeOnly });
  if (from === to || from === 'root') return null;
  if (from === 'contract') return 'the contract is what clients have: nothing of the server comes with it';
  if (from === 'web') return to === 'contract' ? null : 'a client knows the contract and nothing else';
  const [fromProcess = '', toProcess = ''] = [from, to].map((layer) => layer.split('/')[0] ?? '');
  const process = processes[fromProcess];
  if (process && toProcess in processes && toProcess !== fromProcess && !process.uses.includes(toProcess))
    return process.because;
  const layer = layers[from];
  if (!layer) return `packages/server/src/${from} is not in the table of layers`;
  const { uses, typesOf = [], files = [], because } = layer;
  if (target === vocabulary && (from === 'core/domain' || uses.includes('core/domain'))) return null;
  const isWhole = uses.includes('everything') || uses.includes(`${toProcess}/*`);
  if (isWhole || uses.includes(to) || files.includes(target)) return null;
  return typeOnly && typesOf.includes(to) ? null : because;
}

describe('layers', () => {
  test('every import goes where the table allows', () => {
    const faults: string[] = [];
    for (const file of sourceFiles) {
      if (isTest(file.path)) continue;
      for (const edge of file.imports) {
        const reason = fault(file, edge);
        if (reason) faults.push(`${file.path} imports ${edge.target}: ${reason}`);
      }
    }
    assert.deepEqual(faults, []);
  });

  test('the contract takes zod and nothing else', () => {
    const faults = sourceFiles
      .filter((file) => file.path.startsWith('packages/contract/src/') && !isTest(file.path))
      .flatMap((file) => file.imports.map(({ target }) => ({ path: file.path, target })))
      .filter(({ target }) => target !== 'zod' && !target.startsWith('packages/contract/src/'));
    assert.deepEqual(faults, [], "it also runs in browsers and in other people's programs");
  });

  test('nothing that ships imports a test', () => {
    const faults = sourceFiles
      // Measurements stand on what tests stand on: an engine that may be killed, a browser, a
      // clock.
      .filter((file) => !isTest(file.path) && !file.path.startsWith('bench/'))
      .flatMap((file) => file.imports.map(({ target }) => ({ path: file.path, target })))
      .filter(({ target }) => isTest(target));
    assert.deepEqual(faults, []);
  });

  test('every import of ours names a file that exists', () => {
    const known = new Set(sourceFiles.map((file) => file.path));
    const faults = sourceFiles
      .flatMap((file) => file.imports.map(({ target }) => ({ path: file.path, target })))
      .filter(({ target }) => /^(packages|test|bench)\/.*\.tsx?$/.test(target) && !known.has(target));
    assert.deepEqual(faults, []);
  });

  test('there are no rings of imports', () => {
    assert.deepEqual(findRings(), [], 'a ring can only be understood, tested and loaded as a whole');
  });
});

describe('the test itself', () => {
  test('sees imports of every form', () => {
    const server = sourceFiles.find((file) => file.path === 'packages/server/src/core/data-folder/data-folder.ts');
    const targets = server?.imports.map((edge) => edge.target) ?? [];
    for (const target of [
      'node:fs',
      'node:timers/promises',
      'packages/server/src/core/data-folder/stores.ts',
      'packages/server/src/core/lib/clock.ts',
    ])
      assert.ok(targets.includes(target), target);
    const services = sourceFiles.find((file) => file.path === 'packages/server/src/api/services/services.ts');
    assert.ok(services && services.imports.length >= 6 && services.imports.every((edge) => edge.typeOnly));
  });

  test('refuses what it must', () => {
    const edge = (from: string, to: string, typeOnly = false) =>
      fault(
        { path: `packages/server/src/${from}`, text: '', code: '', imports: [] },
        { target: `packages/${to}`, typeOnly },
      );
    assert.ok(edge('core/domain/a.ts', 'server/src/core/store/b.ts', true));
    assert.ok(edge('core/domain/a.ts', 'contract/src/bots.ts', true));
    assert.ok(edge('core/lib/a.ts', 'contract/src/vocabulary.ts', true));
    assert.equal(edge('core/domain/a.ts', 'contract/src/vocabulary.ts'), null);
    assert.ok(edge('api/http/a.ts', 'server/src/core/store/b.ts', true));
    assert.ok(edge('api/services/a.ts', 'server/src/agent/engine/engine.ts'));
    assert.ok(edge('api/services/a.ts', 'server/src/agent/reconciler/reconciler.ts', true));
    assert.ok(edge('agent/capture/a.ts', 'server/src/agent/engine/docker/client.ts'));
    assert.ok(edge('agent/reconciler/a.ts', 'server/src/api/services/bots.ts', true));
    assert.match(edge('core/lib/a.ts', 'server/src/api/services/b.ts', true) ?? '', /^core is/);
    assert.match(edge('api/compose.ts', 'server/src/agent/compose.ts', true) ?? '', /^the api faces/);
    assert.match(edge('agent/compose.ts', 'server/src/api/compose.ts', true) ?? '', /^the agent is/);
    assert.match(edge('gateway/compose.ts', 'server/src/agent/network/b.ts', true) ?? '', /^the gateway faces/);
    assert.ok(edge('core/services/a.ts', 'server/src/cli/b.ts', true));
    assert.ok(edge('newcomer/a.ts', 'server/src/core/lib/b.ts'));
    const webEdge = (from: string, target: string, typeOnly = false) =>
      fault({ path: `packages/web/src/${from}`, text: '', code: '', imports: [] }, { target, typeOnly });
    assert.ok(webEdge('kit/a.tsx', 'packages/web/src/api/b.ts'));
    assert.ok(webEdge('bots/a.tsx', 'packages/web/src/pages/b.tsx'));
    assert.ok(webEdge('pages/a.tsx', 'packages/contract/src/bots.ts'));
    assert.ok(webEdge('lib/a.ts', 'packages/server/src/core/lib/b.ts', true));
    assert.equal(webEdge('pages/a.tsx', 'packages/contract/src/bots.ts', true), null);
    assert.equal(webEdge('api/a.ts', 'packages/contract/src/client.ts'), null);
    assert.equal(webEdge('pages/a.tsx', vocabulary), null);
    assert.equal(edge('agent/capture/a.ts', 'server/src/agent/engine/engine.ts', true), null);
    assert.equal(edge('cli/server.ts', 'server/src/agent/engine/engine.ts'), null);
  });
});

/** Every ring, as the paths along it. */
function findRings(): string[] {
  const edges = new Map(sourceFiles.map((file) => [file.path, file.imports.map((edge) => edge.target)]));
  const done = new Set<string>();
  const rings: string[] = [];
  const walk = (path: string, trail: string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) rings.push([...trail.slice(at), path].join(' → '));
    if (at >= 0 || done.has(path)) return;
    for (const target of edges.get(path) ?? []) walk(target, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return rings;
}
