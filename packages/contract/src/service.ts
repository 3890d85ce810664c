// The service itself: health, readiness, version.
import { z } from 'zod';

export const health = z.strictObject({ status: z.literal('ok') });
/** `oldest_wait_seconds`: how long a bot has waited for the reconciler; see /admin/health. */
export const readiness = z.strictObject({ status: z.literal('ok'), oldest_wait_seconds: z.number() });
export const version = z.strictObject({ version: z.string(), api_version: z.number() });
