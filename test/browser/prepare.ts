// Installs Debian's Chromium if it is missing.
import { existsSync } from 'node:fs';
import { installPackages } from '../../packages/server/src/core/lib/apt-get.ts';
import { chromiumPath } from './chromium-path.ts';

/** Rejects with what apt said. */
export async function prepareBrowser(): Promise<void> {
  if (existsSync(chromiumPath)) return;
  console.log('Installing Chromium (once) ...');
  await installPackages(['chromium', 'fonts-dejavu-core']);
}
