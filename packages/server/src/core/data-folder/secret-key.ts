// The key that seals secrets in the database: a file of its own, made at the first start, readable by this user only.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { Sealer, sealKeyBytes } from '../lib/sealer.ts';
import { Signer } from '../lib/signer.ts';
import type { SettingStore } from '../store/settings.ts';

const checkText = 'botel';
const checkContext = 'secret_key_check';

/** The sealer of this install. Rejects when the key is missing or wrong for what the database holds. */
export async function sealerOf(path: string, settings: SettingStore): Promise<Sealer> {
  const check = await settings.get('secret_key_check');
  if (!existsSync(path)) {
    if (check) throw new Error(`The secret key ${path} is missing: restore it, or bots' environments can't be read`);
    await writeKey(path);
  }
  const sealer = new Sealer(readKey(path));
  if (!check) await settings.set('secret_key_check', sealer.seal(checkText, checkContext));
  else if (!fits(sealer, check))
    throw new Error(`The secret key ${path} is not the one that the database was written with`);
  return sealer;
}

/** A signer for one purpose with a key derived from the secret key, which sealerOf has checked. */
export function signerOf(path: string, purpose: string): Signer {
  return new Signer(readKey(path), purpose);
}

function fits(sealer: Sealer, check: string): boolean {
  try {
    return sealer.open(check, checkContext) === checkText;
  } catch {
    return false;
  }
}

async function writeKey(path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  await file.writeFile(`${randomBytes(sealKeyBytes).toString('base64')}\n`);
  await file.sync();
  await file.close();
}

function readKey(path: string): Buffer {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length !== sealKeyBytes) throw new Error(`${path} does not hold a key of ${sealKeyBytes} bytes in base64`);
  return key;
}
