// One request on its way through the gateway: what all who deal with it share.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayFaultCode } from '../core/domain/gateway-fault.ts';
import type { FlatHeaders } from './headers.ts';
import { lingerMs } from './limits.ts';
import type { CheckedRequest } from './request-check.ts';

export interface ProxiedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  checked: CheckedRequest;
  /** For the bot. */
  headers: FlatHeaders;
  /** Until when it may wait for its bot (ms since the epoch). */
  deadline: number;
  /** See GatewayLimits. */
  answerMs: number;
  /** Run of the bot that it was brought to last; 0 = none. */
  run: number;
  /** Connections that broke before an answer came. */
  losses: number;
  /** What came with the head of a request that changes the protocol; null for the others. */
  upgradeHead: Buffer | null;
  /** Bytes of bodies. */
  bytesIn: number;
  bytesOut: number;
}

/**
 * How it went with one target. `done`: there is nothing left to do. `refused`: nobody took the
 * connection. `lost`: it broke before an answer, and the request can be sent again.
 */
export type Outcome =
  | { kind: 'done' }
  | { kind: 'refused' }
  | { kind: 'lost' }
  | { kind: 'fault'; code: GatewayFaultCode };

/** Whether the client is gone, or has all of its answer. */
export function isOver({ response }: ProxiedRequest): boolean {
  return response.destroyed || response.closed || response.writableEnded;
}

/** May be sent again when its connection broke: it changes nothing and has no body. */
export function isRepeatable({ request, checked }: ProxiedRequest): boolean {
  return checked.framing === 'none' && /^(?:GET|HEAD|OPTIONS)$/.test(request.method ?? '');
}

/** Reads the rest of a body that nobody wants, for a while: a client that still sends could not
 * read its answer. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.resume();
  const { socket } = request;
  const timer = setTimeout(() => request.complete || socket.destroy(), lingerMs).unref();
  request.once('close', () => clearTimeout(timer));
}
