// Hostnames that owners bring along for their apps: which can be used, and how it is shown that one is theirs. Pure.

export const domainStatuses = ['pending', 'verified', 'failed'] as const;
export type DomainStatus = (typeof domainStatuses)[number];
