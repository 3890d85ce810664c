// Hashes and verifies passwords with argon2id, a few at a time: each takes 64 MiB and a thread.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { fail } from '../../core/domain/errors.ts';
import { Semaphore } from '../../core/lib/semaphore.ts';

const deriveNow = promisify(argon2);
/** Leaves half of the process's thread pool to file and DNS operations. */
const atOnce = new Semaphore(2);
/** About ten seconds of work; later callers are rejected. */
const maxWaiting = 64;

/** Rejects with `rate_limited` when too many calls are waiting. */
async function derive(...call: Parameters<typeof deriveNow>): Promise<Buffer> {
  if (atOnce.waiting >= maxWaiting) throw fail.rateLimited(10);
  return atOnce.run(() => deriveNow(...call));
}

const costs = {
  /** argon2id: 64 MiB, 3 passes, 1 lane (RFC 9106, second recommended option with one lane). */
  full: { memory: 65_536, passes: 3, parallelism: 1 },
  /** For tests, which sign in thousands of times (core/config/test-hooks.ts). */
  cheap: { memory: 64, passes: 1, parallelism: 1 },
} as const;
let cost: (typeof costs)[keyof typeof costs] = costs.full;
const tagLength = 32;

/** Sets the cost of new hashes in this process; existing ones are verified at their own cost. */
export function usePasswordCost(name: keyof typeof costs): void {
  cost = costs[name];
}

/** `argon2id$<memory>$<passes>$<parallelism>$<salt>$<tag>`, base64url. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await derive('argon2id', { message: password, nonce, tagLength, ...cost });
  return [
    'argon2id',
    cost.memory,
    cost.passes,
    cost.parallelism,
    nonce.toString('base64url'),
    tag.toString('base64url'),
  ].join('$');
}

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [algorithm, memory, passes, parallelism, nonce, tag] = hash.split('$');
  if (algorithm !== 'argon2id' || !nonce || !tag) return false;
  const expected = Buffer.from(tag, 'base64url');
  const given = await derive('argon2id', {
    message: password,
    nonce: Buffer.from(nonce, 'base64url'),
    tagLength: expected.length,
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  });
  return timingSafeEqual(expected, given);
}
