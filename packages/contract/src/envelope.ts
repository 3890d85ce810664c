// The one envelope of every JSON answer (docs/specification.md).
import { z } from 'zod';

/** Schema of a success with this `data`; `message` only where an endpoint has one. */
export function success<T extends z.ZodType>(data: T) {
  return z.strictObject({ success: z.literal(true), data, message: z.string().optional() });
}

export const failure = z.strictObject({ success: z.literal(false), error: z.string() });

export type Success<T> = { success: true; data: T; message?: string };
export type Failure = z.infer<typeof failure>;
