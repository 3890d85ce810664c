// The service itself: health, readiness, version.
import { z } from 'zod';

export const health = z.strictObject({ status: z.literal('ok') });
export const version = z.strictObject({ version: z.string(), api_version: z.number() });
