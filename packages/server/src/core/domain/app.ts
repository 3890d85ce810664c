// An app: a bot under a name below the apps domain. Pure.

/** `port` null = what the bot has in `PORT`; `healthPath` null = nothing is asked at a start. Times in ms since the epoch. */
export interface App {
  id: string;
  ownerId: string;
  botId: string;
  name: string;
  port: number | null;
  healthPath: string | null;
  createdAt: number;
}

/** What an owner may change of an app. */
export type AppChange = Partial<Pick<App, 'name' | 'port' | 'botId' | 'healthPath'>>;

/** So long a name that was given up is kept for its last owner. */
export const nameHeldMs = 30 * 24 * 60 * 60 * 1000;

/** So many names are kept for one owner: of more, those that were given up first are free. */
export const namesHeldMax = 100;
