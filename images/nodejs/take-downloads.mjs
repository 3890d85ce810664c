#!/usr/bin/env node
// Runs in the container of a build, before it: copies the packages of the project's lock file that Botel has already (beside
// this file, by hash) into the bot's own npm cache. npm checks their hashes when it reads them. Must not fail a build.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const cache = join(process.env.NPM_CONFIG_CACHE ?? join(process.env.HOME, '.npm'), '_cacache');
const fresh = join(cache, 'tmp', `botel-${process.pid}`);

/** Paths below a cache's folder of all packages of the lock file that npm goes by. */
function wanted() {
  const name = ['npm-shrinkwrap.json', 'package-lock.json'].find((candidate) => existsSync(candidate));
  if (!name) return [];
  const paths = new Set();
  for (const entry of Object.values(JSON.parse(readFileSync(name, 'utf8')).packages ?? {})) {
    const [, base64] = /^sha512-([A-Za-z0-9+/]{86}==)$/.exec(entry?.integrity) ?? [];
    if (!base64) continue;
    const digest = Buffer.from(base64, 'base64').toString('hex');
    paths.add(join('content-v2/sha512', digest.slice(0, 2), digest.slice(2, 4), digest.slice(4)));
  }
  return [...paths];
}

/** Whether it is in the bot's cache now and was not before. */
function take(path) {
  const source = join(import.meta.dirname, '_cacache', path);
  const target = join(cache, path);
  if (existsSync(target) || !existsSync(source)) return false;
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(source, fresh);
  renameSync(fresh, target);
  return true;
}

try {
  const paths = wanted();
  if (paths.length > 0) mkdirSync(dirname(fresh), { recursive: true });
  // A build that was cut off may have left it.
  rmSync(fresh, { force: true });
  const taken = paths.filter(take).length;
  if (taken > 0) console.log(`${taken} of ${paths.length} packages are there already`);
} catch (error) {
  console.error(`Packages are downloaded by npm: ${error.message}`);
}
