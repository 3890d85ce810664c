// Limits of the gateway. Times in ms.

export interface GatewayLimits {
  /** Concurrent requests and streams per app. */
  appRequests: number;
  /** Requests per second per app; as many may arrive in one burst. */
  appRate: number;
  /** Percent of both that one visitor of an app may take: an IPv4 address, or an IPv6 /64. */
  visitorShare: number;
  /** How long a request waits for its bot. */
  waitMs: number;
  /** Longest time without traffic in either direction before the bot begins its answer. */
  answerMs: number;
}

/** Deadline for receiving the head of a request. */
export const headMs = 30_000;
export const headBytes = 32 * 1024;
/** How long an idle client connection stays open. */
export const idleClientMs = 75_000;
/** Below the five seconds after which servers of bots usually close idle connections. */
export const idleBotMs = 4000;
export const connectMs = 5000;
/** Default for `answerMs`; the page of a timed-out answer states it. */
export const usualAnswerMs = 120_000;
/** Longest time without a byte in either direction of a stream. */
export const streamIdleMs = 3_600_000;
/** Time that a program may need to listen after its run began. */
export const startGraceMs = 30_000;
/** A program that listened before may have died: requests wait this long for its new state. */
export const recheckMs = 2000;
/** Longer than the longest stop grace: by then nothing of the old run answers any more. */
export const drainMs = 330_000;
/** Time limit for reading the rest of an unwanted body. */
export const lingerMs = 5000;
/** Pending requests per app. */
export const maxWaiting = 512;
/** Attempts for a request whose connection broke before an answer. */
export const maxLosses = 2;
/** Interval between two probes of whether a bot listens. */
export const probeMs = { first: 20, max: 250 };
