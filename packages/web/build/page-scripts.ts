// Tells public/head.js which scripts each page needs, so that they load before the main script
// runs.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import { webRoot } from './vite-config.ts';

const pages = 'src/pages';
const lazyTexts = 'src/texts/en-lazy.ts';

/** Pages with a path other than the name of their file. */
const paths: Record<string, string> = { bots: '/', 'new-bot': '/new' };
/** Pages whose texts are in the first script. */
const firstPages = ['bots', 'login', 'console'];

/** The modules that src/router.tsx loads, by path below /dashboard, and those of languages. */
const modules: Record<string, string[]> = {
  ...Object.fromEntries(
    namesIn(pages, '.tsx').map((name) => [paths[name] ?? `/${name}`, [`${pages}/${name}.tsx`, ...textsOf(name)]]),
  ),
  ...Object.fromEntries(
    namesIn(`${pages}/bot`, '-tab.tsx').map((tab) => [
      tab === 'console' ? '/bots/:id' : `/bots/:id/${tab}`,
      [`${pages}/bot/bot-frame.tsx`, `${pages}/bot/${tab}-tab.tsx`, ...textsOf(tab)],
    ]),
  ),
  'pt-BR': ['src/texts/pt-br.ts'],
};

/** Names of the files in a folder that end like this, without the ending. */
function namesIn(folder: string, ending: string): string[] {
  const files = readdirSync(join(webRoot, folder)).filter((file) => file.endsWith(ending));
  return files.map((file) => file.slice(0, -ending.length)).toSorted();
}

function textsOf(page: string): string[] {
  return firstPages.includes(page) ? [] : [lazyTexts];
}

/** Fills `data-scripts` of index.html. Throws for a page whose module has no chunk of its own. */
export function pageScripts(): Plugin {
  return {
    name: 'page-scripts',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((each): each is Rolldown.OutputChunk => each.type === 'chunk');
        const first = needed(chunks, chunks.find((chunk) => chunk.isEntry)?.fileName ?? '');
        const scripts = Object.entries(modules).map(([page, names]) => {
          const files = names.flatMap((name) => [...needed(chunks, fileOf(chunks, name))]);
          return [page, [...new Set(files)].filter((file) => !first.has(file))];
        });
        const json = JSON.stringify(Object.fromEntries(scripts)).replaceAll('"', '&quot;');
        return html.replace('data-scripts=""', `data-scripts="${json}"`);
      },
    },
  };
}

function fileOf(chunks: Rolldown.OutputChunk[], name: string): string {
  const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(`/packages/web/${name}`));
  if (!chunk) throw new Error(`build/page-scripts.ts: ${name} is no script of its own`);
  return chunk.fileName;
}

/** The file and its static imports. */
function needed(chunks: Rolldown.OutputChunk[], file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const chunk = chunks.find(({ fileName }) => fileName === file);
  for (const each of chunk?.imports ?? []) needed(chunks, each, found);
  return found;
}
