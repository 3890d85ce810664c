// The client of a request, for the list of sessions.
import type { FastifyRequest } from 'fastify';
import type { Client } from '../services/accounts.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** IP address of the client. */
    address: string;
  }
}

export function clientOf(request: FastifyRequest): Client {
  return { ip: request.address, userAgent: request.headers['user-agent'] ?? '' };
}
