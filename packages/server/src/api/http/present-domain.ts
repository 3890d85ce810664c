// Converts domains to the JSON of the contract. Pure.
import type { DomainData } from '@botel/contract/domains';
import { recordsOf } from '../../core/domain/hostname.ts';
import type { DomainView } from '../services/domains.ts';
import { isoTime } from '../../core/http/present.ts';

export function presentDomain({ domain, target }: DomainView): DomainData {
  return {
    id: domain.id,
    app_id: domain.appId,
    hostname: domain.hostname,
    status: domain.status,
    fault: domain.fault,
    records: recordsOf(domain, target),
    tls: domain.status !== 'verified' ? 'none' : domain.tlsAskedAt === null ? 'pending' : 'active',
    checked_at: domain.checkedAt === null ? null : isoTime(domain.checkedAt),
    created_at: isoTime(domain.createdAt),
  };
}
