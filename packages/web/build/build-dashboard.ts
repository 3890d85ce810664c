// Builds the dashboard into packages/web/dist: Vite's output, with brotli and gzip copies of each
// text file. The build goes to a temporary folder that is renamed at the end, so a failed build
// leaves the last one in place.
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { pageScripts } from './page-scripts.ts';
import { viteConfig, webRoot } from './vite-config.ts';

/** Smaller files gain nothing from compression. */
const minBytes = 1024;
/** Brotli's highest quality takes too long for larger files. */
const bigBytes = 1024 * 1024;
/** Scalar renders the API reference (public/docs); only this one file of the package is used. */
const scalar = fileURLToPath(new URL('./js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference')));

/** Few files per page: each costs a round trip, and browsers fetch six at a time. */
const groups = [
  { name: 'first', tags: ['$initial' as const], test: (id: string) => !/\/index\.html|\/src\/main\.tsx/.test(id) },
  // What most pages share. Dialogs and menus are large and load on demand.
  { name: 'parts', minShareCount: 2, test: (id: string) => isSmallPart(id) },
];

function isSmallPart(id: string): boolean {
  return (
    /\/src\/(kit|bots|lib|api)\/|lucide-react|@tanstack/.test(id) &&
    !/dialog\.tsx|\/kit\/(drop-menu|toasts)\.tsx/.test(id)
  );
}

const target = join(webRoot, 'dist');
const made = join(webRoot, `dist.${process.pid}.tmp`);

try {
  await build({
    ...viteConfig,
    logLevel: 'error',
    plugins: [...viteConfig.plugins, pageScripts()],
    build: {
      outDir: made,
      manifest: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      rolldownOptions: { output: { codeSplitting: { groups } } },
    },
  });
  copyFileSync(scalar, join(made, 'docs/scalar.js'));
  for (const path of readdirSync(made, { recursive: true, encoding: 'utf8' }))
    if (/\.(html|js|css|svg|json)$/.test(path)) compress(join(made, path));
  rmSync(target, { recursive: true, force: true });
  renameSync(made, target);
} finally {
  rmSync(made, { recursive: true, force: true });
}

function compress(file: string): void {
  const bytes = readFileSync(file);
  if (bytes.length < minBytes) return;
  const quality = bytes.length < bigBytes ? 11 : 9;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
