// The units of systemd that run this checkout: their texts, and whether this checkout can be run
// so.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkoutPath } from '../../core/lib/checkout.ts';

/** What is installed: one process with everything, or its parts (all, or one of them). */
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
  /** Seconds that the process with the engine may take to end. */
  stopSeconds: number;
}

/** Throws a plain sentence for a place that can't stand in a unit. */
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

/** Folders on the way to a path, and it itself, that only their owner may pass: the user of the api
 * can't. */
export function closedFolders(path: string): string[] {
  const closed: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    const stats = statSync(folder, { throwIfNoEntry: false });
    if (stats?.isDirectory() && (stats.mode & 0o001) === 0) closed.unshift(folder);
    if (folder === join(folder, '..')) return closed;
  }
}
