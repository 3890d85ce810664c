// Takes the mounted homes out of a data folder whose server and containers are gone, so that it can
// be removed.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Fine where none is mounted; what can't be unmounted stays, and removing the folder says so. */
export function unmountHomes(dataDirectory: string): void {
  const homes = join(dataDirectory, 'homes');
  for (const name of readdirSync(homes)) spawnSync('umount', [join(homes, name)], { stdio: 'ignore' });
}
