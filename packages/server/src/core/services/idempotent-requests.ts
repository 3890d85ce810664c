// Answers by Idempotency-Key. Neither key nor body is stored: a hash of the key finds the row, and
// an HMAC under the key compares the body.
import { createHash, createHmac } from 'node:crypto';
import { fail } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Answer, IdempotencyKeys, RequestId } from '../store/idempotency-keys.ts';

const keptMs = 24 * 60 * 60 * 1000;

interface Deps {
  keys: IdempotencyKeys;
  clock: Clock;
}

export class IdempotentRequests {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * The stored answer, or the id under which this request now runs. Fails with 409 when it is
   * already running (also when a crash interrupted it), or the key belongs to another request.
   */
  async begin(userId: string, key: string, request: string): Promise<Answer | RequestId> {
    const { keys, clock } = this.#deps;
    const id = { userId, keyHash: createHash('sha256').update(key).digest('base64url') };
    const fingerprint = createHmac('sha256', key).update(request).digest('base64url');
    const now = clock.now();
    const kept = await keys.claim(id, fingerprint, { now, oldest: now - keptMs });
    if (!kept) return id;
    if (kept.fingerprint !== fingerprint) throw fail.idempotencyReused();
    if (!kept.answer) throw fail.idempotencyRunning();
    return kept.answer;
  }

  /** Stores an answer that depends on the request itself; after any other it may be sent again. */
  async end(id: RequestId, answer: Answer): Promise<void> {
    const { keys } = this.#deps;
    const isPassing = answer.status === 401 || answer.status === 429 || answer.status >= 500;
    await (isPassing ? keys.release(id) : keys.save(id, answer));
  }
}
