// Builds the dashboard into packages/web/dist: Vite's output, and beside each text a copy in brotli and in gzip. Made in a
// folder of its own and put in place by a rename, so that a build that fails leaves the last one.
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { pageScripts } from './page-scripts.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
/** Smaller files win nothing by it. */
const minBytes = 1024;
/** From here on the last few percent would take longer than all else. */
const bigBytes = 1024 * 1024;
/** Scalar, which draws the API reference (public/docs), as one file; nothing else of its package is used. */
const scalar = fileURLToPath(new URL('./js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference')));

/** A page asks for few files: each costs the way there and back, and browsers take six at a time. */
const groups = [
  { name: 'first', tags: ['$initial' as const], test: (id: string) => !/\/index\.html|\/src\/main\.tsx/.test(id) },
  // What most pages share. Dialogs and menus are large, and wanted later.
  { name: 'parts', minShareCount: 2, test: (id: string) => isSmallPart(id) },
];

function isSmallPart(id: string): boolean {
  return (
    /\/src\/(kit|bots|lib|api)\/|lucide-react|@tanstack/.test(id) &&
    !/dialog\.tsx|\/kit\/(drop-menu|toasts)\.tsx/.test(id)
  );
}

const target = join(root, 'dist');
const made = join(root, `dist.${process.pid}.tmp`);

try {
  await build({
    root,
    base: '/dashboard/',
    configFile: false,
    logLevel: 'error',
    plugins: [react(), tailwindcss(), pageScripts()],
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
