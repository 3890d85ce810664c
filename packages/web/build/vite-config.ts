// The Vite configuration shared by the build and the development server.
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import type { InlineConfig } from 'vite';

export const webRoot = fileURLToPath(new URL('../', import.meta.url));

export const viteConfig = {
  root: webRoot,
  base: '/dashboard/',
  configFile: false,
  plugins: [react(), tailwindcss()],
} satisfies InlineConfig;
