// Encrypts short texts for storage: AES-256-GCM, each bound to the context given with it.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const version = 'v1.';

export const cipherKeyBytes = 32;

export class TextCipher {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    if (key.length !== cipherKeyBytes) throw new Error(`A key of ${cipherKeyBytes} bytes is needed`);
    this.#key = key;
  }

  /** `v1.` and base64url of nonce, ciphertext and tag. */
  encrypt(text: string, context: string): string {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(context));
    const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return version + bytes.toString('base64url');
  }

  /** Throws when the key, the context or the encrypted text is wrong. */
  decrypt(encrypted: string, context: string): string {
    const bytes = Buffer.from(encrypted.slice(version.length), 'base64url');
    if (!encrypted.startsWith(version) || bytes.length < nonceBytes + tagBytes)
      throw new Error('Not an encrypted text');
    const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-tagBytes));
    return decipher.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
  }
}
