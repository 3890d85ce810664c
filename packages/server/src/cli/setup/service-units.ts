// The systemd units that run this checkout, and whether it can be run that way.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkoutPath } from '../../core/lib/checkout.ts';

/** What to install: one process with everything, or separate processes (all, or one of them). */
export const serviceRoles = ['single', 'split', 'api', 'agent', 'gateway'] as const;
export type ServiceRole = (typeof serviceRoles)[number];

const unitNames: Record<ServiceRole, string[]> = {
  single: ['botel.service'],
  split: ['botel-agent.service', 'botel-api.service', 'botel-gateway.service'],
  api: ['botel-api.service'],
  agent: ['botel-agent.service'],
  gateway: ['botel-gateway.service'],
};

export interface Unit {
  name: string;
  text: string;
}

interface Places {
  checkout: string;
  dataDirectory: string;
  /** Stop timeout, in seconds, of the process with the engine. */
  stopSeconds: number;
}

/** Throws a plain sentence about a path that a unit can't contain. */
export function serviceUnits(role: ServiceRole, { checkout, dataDirectory, stopSeconds }: Places): Unit[] {
  for (const place of [checkout, dataDirectory])
    if (!/^[A-Za-z0-9_./+-]+$/.test(place))
      throw new Error(`${place} is not allowed in a systemd unit: use a path of letters, digits and _ . / + -`);
  return unitNames[role].map((name) => ({
    name,
    text: readFileSync(checkoutPath(`packaging/systemd/${name}`), 'utf8')
      .replaceAll('@CHECKOUT@', checkout)
      .replaceAll('@DATA@', dataDirectory)
      .replaceAll('@STOP@', String(stopSeconds)),
  }));
}

/** The path and its parent folders that only their owner may enter, so the api's user can't. */
export function closedFolders(path: string): string[] {
  const closed: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats?.isDirectory() && (stats.mode & 0o001) === 0) closed.unshift(folder);
    if (folder === join(folder, '..')) return closed;
  }
}
