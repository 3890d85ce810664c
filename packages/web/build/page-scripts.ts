// Tells public/head.js which scripts each page needs, so that they load before the main script
// runs.
import type { Plugin, Rolldown } from 'vite';

const botFrame = 'src/pages/bot/bot-frame.tsx';
const lazyTexts = 'src/texts/en-lazy.ts';

/** The modules that src/router.tsx loads, by path below /dashboard, and those of languages. */
const modules: Record<string, string[]> = {
  '/': ['src/pages/bots.tsx'],
  '/login': ['src/pages/login.tsx'],
  '/setup': ['src/pages/setup.tsx', lazyTexts],
  '/reset': ['src/pages/reset.tsx', lazyTexts],
  '/new': ['src/pages/new-bot.tsx', lazyTexts],
  '/apps': ['src/pages/apps.tsx', lazyTexts],
  '/account': ['src/pages/account.tsx', lazyTexts],
  '/admin': ['src/pages/admin.tsx', lazyTexts],
  '/bots/:id': [botFrame, 'src/pages/bot/console-tab.tsx'],
  ...Object.fromEntries(
    ['files', 'env', 'metrics', 'backups', 'activity', 'settings'].map((tab) => [
      `/bots/:id/${tab}`,
      [botFrame, `src/pages/bot/${tab}-tab.tsx`, lazyTexts],
    ]),
  ),
  'pt-BR': ['src/texts/pt-br.ts'],
};

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
