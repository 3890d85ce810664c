// Encrypts small texts for storage: AES-256-GCM with a fresh nonce each, bound to a context so that a sealed text can't
// be moved to another place. Must not know what it seals, nor where its key is kept.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const version = 'v1.';

/** Bytes of a key. */
export const sealKeyBytes = 32;

export class Sealer {
  readonly #key: Buffer;

  /** `key` has 32 bytes. */
  constructor(key: Buffer) {
    if (key.length !== sealKeyBytes) throw new Error(`A key of ${sealKeyBytes} bytes is needed`);
    this.#key = key;
  }

  /** `v1.` and base64url of nonce, ciphertext and tag. */
  seal(text: string, context: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return version + sealed.toString('base64url');
  }

  /** The text that was sealed in `context`; throws when key, context or sealed text are not the right ones. */
  open(sealed: string, context: string): string {
    const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
    if (!sealed.startsWith(version) || bytes.length < nonceBytes + tagBytes) throw new Error('Not a sealed text');
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes));
    return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  }
}
