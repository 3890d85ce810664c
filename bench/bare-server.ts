// A process that answers every request with the same head and body, by node:http and nothing else.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerOrders } from './child.ts';

export interface BareAnswer {
  headers: Record<string, string>;
  body: string;
}

/** Each order opens one more server; the answer is its port. */
answerOrders<BareAnswer, number>(async ({ headers, body }) => {
  const bytes = Buffer.from(body);
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
});
