// Signs short texts with a key of its own, derived from a master key for one purpose: what was signed for one purpose is
// worth nothing for another. Must not know what it signs.
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const keyBytes = 32;

export class Signer {
  readonly #key: Buffer;

  /** `master` is never used to sign itself. */
  constructor(master: Buffer, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', master, '', purpose, keyBytes));
  }

  /** HMAC-SHA256 of `text` in base64url: 43 characters. */
  sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }

  /** Whether `signature` is the one of `text`; takes the same time wherever they differ. */
  isRight(text: string, signature: string): boolean {
    const right = Buffer.from(this.sign(text));
    const given = Buffer.from(signature);
    return given.length === right.length && timingSafeEqual(given, right);
  }
}
