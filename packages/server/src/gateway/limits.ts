// The numbers that bound the gateway. Times in ms.

export interface GatewayLimits {
  /** Requests and streams of one app at a time. */
  appRequests: number;
  /** Requests of one app per second; as many may come at once. */
  appRate: number;
  /** Percent of both that one visitor of an app may take: an IPv4 address, or an IPv6 /64. */
  visitorShare: number;
  /** How long a request waits for its bot. */
  waitMs: number;
  /** How long nothing may move, either way, before the bot begins its answer. */
  answerMs: number;
}

/** Within this time the head of a request has to be there. */
export const headMs = 30_000;
export const headBytes = 32 * 1024;
/** A connection that asks for nothing is kept for so long. */
export const idleClientMs = 75_000;
/** Shorter than the five seconds after which servers of bots usually close theirs. */
export const idleBotMs = 4000;
export const connectMs = 5000;
/** For `answerMs` where nothing else is wanted; the page of a late answer says it. */
export const usualAnswerMs = 120_000;
/** Without a byte either way in a stream. */
export const streamIdleMs = 3_600_000;
/** A program that has just begun to run may need so long until it listens. */
export const startGraceMs = 30_000;
/** A program that listened before may have died: this long it is waited for what becomes of it. */
export const lookAgainMs = 2000;
/** Longer than the longest grace of a stop: by then nothing of the old run answers any more. */
export const drainMs = 330_000;
/** For the rest of a body that nobody wants. */
export const lingerMs = 5000;
/** Requests that wait for one app. */
export const maxWaiting = 512;
/** Tries of a request whose connection broke before it was answered. */
export const maxLosses = 2;
/** Between two looks whether a bot listens. */
export const probeMs = { first: 20, most: 250 };
