// The key that encrypts secrets in the database: a file for its owner only, until share-data.ts
// gives it to the group of BOTEL_API_GROUP.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { TextCipher, cipherKeyBytes } from '../lib/text-cipher.ts';
import { Signer } from '../lib/signer.ts';
import type { SettingStore } from '../store/settings.ts';

const checkText = 'botel';
const checkContext = 'secret_key_check';

/** The cipher of this install. Rejects when the key is missing or does not match the database. */
export async function loadCipher(path: string, settings: SettingStore): Promise<TextCipher> {
  const check = await settings.get('secret_key_check');
  if (!existsSync(path)) {
    if (check) throw new Error(`The secret key ${path} is missing: restore it, or bots' environments can't be read`);
    await writeKey(path);
  }
  const cipher = new TextCipher(readKey(path));
  if (!check) await settings.set('secret_key_check', cipher.encrypt(checkText, checkContext));
  else if (!fits(cipher, check))
    throw new Error(`The secret key ${path} is not the one that the database was written with`);
  return cipher;
}

/** A signer with a key derived for one purpose; loadCipher has validated the secret key. */
export function loadSigner(path: string, purpose: string): Signer {
  return new Signer(readKey(path), purpose);
}

function fits(cipher: TextCipher, check: string): boolean {
  try {
    return cipher.decrypt(check, checkContext) === checkText;
  } catch {
    return false;
  }
}

async function writeKey(path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  await file.writeFile(`${randomBytes(cipherKeyBytes).toString('base64')}\n`);
  await file.sync();
  await file.close();
}

function readKey(path: string): Buffer {
  const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64');
  if (key.length !== cipherKeyBytes)
    throw new Error(`${path} does not hold a key of ${cipherKeyBytes} bytes in base64`);
  return key;
}
