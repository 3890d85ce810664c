// Apps: the public availability check of a subdomain name (spec.md section 4.4).
import { z } from 'zod';

/** As long as a URL may be: also what can't be a name gets an answer. */
export const checkParams = z.object({ name: z.string().meta({ maxLength: 8192 }) });

export const availability = z.union([
  z.strictObject({ available: z.literal(true), name: z.string(), url: z.string() }),
  z.strictObject({ available: z.literal(false), reason: z.string() }),
]);

export type Availability = z.infer<typeof availability>;
