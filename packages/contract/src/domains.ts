// Domains: hostnames of owners that serve their apps.
import { z } from 'zod';
import { judgedText, uuid } from './input.ts';
import { domainStatuses, recordTypes, tlsStates } from './vocabulary.ts';

/** The server judges it. */
export const createDomainBody = z.object({ app_id: uuid(), hostname: judgedText(1, 254) });

export const domainIdBody = z.object({ domain_id: uuid() });

/** One of the records is enough. `fault`: why the last check failed; `tls` `active` = a certificate
 * was asked for. */
export const domain = z.strictObject({
  id: z.string(),
  app_id: z.string(),
  hostname: z.string(),
  status: z.enum(domainStatuses),
  fault: z.string().nullable(),
  records: z.array(z.strictObject({ type: z.enum(recordTypes), name: z.string(), value: z.string() })),
  tls: z.enum(tlsStates),
  checked_at: z.string().nullable(),
  created_at: z.string(),
});

/** All of them: an app has few. */
export const domainList = z.strictObject({ domains: z.array(domain), count: z.number(), next_cursor: z.null() });

/** What is no hostname is not served. */
export const tlsAskQuery = z.object({ domain: z.string().catch('').meta({ maxLength: 254 }) });

export type DomainData = z.infer<typeof domain>;
export type DomainListData = z.infer<typeof domainList>;
