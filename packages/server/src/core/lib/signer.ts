// Signs short texts; a signature is valid only for the purpose of its signer.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const keyBytes = 32;

export class Signer {
  readonly #key: Buffer;

  /** `master` itself never signs. */
  constructor(master: Buffer, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', master, '', purpose, keyBytes));
  }

  /** HMAC-SHA256 of `text` in base64url: 43 characters. */
  sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }

  /** Whether `signature` matches `text`, compared in constant time. */
  isRight(text: string, signature: string): boolean {
    const right = Buffer.from(this.sign(text));
    const given = Buffer.from(signature);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
