// An app: a bot served under a name below the apps domain. Pure.

/** `port` null = the bot's `PORT`; `healthPath` null = no health check. Times in ms. */
export interface App {
  id: string;
  ownerId: string;
  botId: string;
  name: string;
  port: number | null;
  healthPath: string | null;
  createdAt: number;
}

/** The fields that an owner may change. */
export type AppChange = Partial<Pick<App, 'name' | 'port' | 'botId' | 'healthPath'>>;

/** How long a released name stays reserved for its last owner. */
export const nameHeldMs = 30 * 24 * 60 * 60 * 1000;

/** Renames of an owner's apps are refused after this many names released within a day. */
export const namesReleasedPerDay = 50;

/** Reserved names per owner; beyond this, the oldest become available. */
export const namesHeldMax = 100;
