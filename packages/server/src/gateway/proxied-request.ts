// One request on its way through the gateway: the state that its handlers share.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayFaultCode } from '../core/domain/gateway-fault.ts';
import type { FlatHeaders } from './headers.ts';
import { lingerMs } from './limits.ts';
import type { CheckedRequest } from './request-check.ts';

export interface ProxiedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  checked: CheckedRequest;
  /** Headers for the bot. */
  headers: FlatHeaders;
  /** Deadline for waiting for its bot (ms since the epoch). */
  deadline: number;
  /** See GatewayLimits. */
  answerMs: number;
  /** Run of the bot that it was last sent to; 0 = none. */
  run: number;
  /** Connections that broke before an answer. */
  losses: number;
  /** Data received with the head of an upgrade request; null for other requests. */
  upgradeHead: Buffer | null;
  /** Body bytes. */
  bytesIn: number;
  bytesOut: number;
}

/**
 * Result of one upstream. `done`: nothing is left to do. `refused`: the connection was refused.
 * `lost`: it broke before an answer, and the request can be retried.
 */
export type Outcome =
  | { kind: 'done' }
  | { kind: 'refused' }
  | { kind: 'lost' }
  | { kind: 'fault'; code: GatewayFaultCode };

/** Whether the client is gone or has its whole answer. */
export function isOver({ response }: ProxiedRequest): boolean {
  return response.destroyed || response.closed || response.writableEnded;
}

/** Whether it can be retried after its connection broke: it changes nothing and has no body. */
export function isRepeatable({ request, checked }: ProxiedRequest): boolean {
  return checked.framing === 'none' && /^(?:GET|HEAD|OPTIONS)$/.test(request.method ?? '');
}

/** Reads the rest for a while: a client that is still sending could not read its answer. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  const { socket } = request;
  const timer = setTimeout(() => request.complete || socket.destroy(), lingerMs).unref();
  request.once('close', () => clearTimeout(timer));
}
