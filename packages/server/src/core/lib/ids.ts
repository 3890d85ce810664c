// Creates identifiers and secrets from the system's random source.
import { hash, randomBytes, randomUUID } from 'node:crypto';

/** Source of UUIDs (version 4) and of random numbers in [0, 1); tests pass a seeded one. */
export interface Ids {
  uuid(): string;
  fraction(): number;
}

export const systemIds: Ids = { uuid: () => randomUUID(), fraction: () => Math.random() };

/** 256 random bits as 43 base64url characters. */
export function secretToken(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 of `text` (UTF-8) as 64 hex digits. */
export function sha256(text: string): string {
  return hash('sha256', text);
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the canonical 36-character form of a UUID, any version. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
