// What the gateway tells of each request that belongs to an app. Must not know what becomes of it.

/** One request that is over. */
export interface Access {
  /** When it came (ms since the epoch), and how long it took. */
  at: number;
  ms: number;
  appId: string;
  botId: string;
  method: string;
  /** Without the query, which may hold secrets. */
  path: string;
  /** What the client got; 0 = it left before an answer, 101 for a connection that changed its protocol. */
  status: number;
  /** Bytes of bodies: of the request, and of the answer. */
  bytesIn: number;
  bytesOut: number;
}

export interface AccessLog {
  /** Called for every request; must be quick and must not throw. */
  note(access: Access): void;
}

export const noAccessLog: AccessLog = { note() {} };
