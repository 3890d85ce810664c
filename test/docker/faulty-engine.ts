// An engine that fails: a proxy between a server and the real engine, of which a test says request
// by request what becomes of it.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const engineSocket = (process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock').replace('unix://', '');

/**
 * What becomes of a request: it passes; is answered with an error and never reaches the engine; is
 * cut off before it; reaches the engine, whose reply is lost; or is never answered.
 */
export type Fate = 'pass' | 'cut' | 'lose' | 'hang' | 400 | 409 | 500;

/** `line` is method and path: `POST /v1.41/containers/create?name=bot_…`. */
export type Rule = (line: string) => Fate;

export interface FaultyEngine extends AsyncDisposable {
  /** As BOTEL_DOCKER_HOST wants it. */
  host: string;
  /** The engine itself, for looking past the faults. */
  engineHost: string;
  /** From now on, for new requests. */
  rule(rule: Rule): void;
  /** Requests with a fate other than `pass`, since the rule was made. */
  faults(): number;
  /** Breaks every connection for events. */
  cutEvents(): void;
  /** Writes to every connection for events, as if the engine had. */
  inventEvents(events: readonly object[]): void;
}

export async function openFaultyEngine(): Promise<FaultyEngine> {
  const directory = await mkdtemp(join(tmpdir(), 'botel-faulty-'));
  const path = join(directory, 'docker.sock');
  const sockets = new Set<Socket>();
  const events = new Set<ServerResponse>();
  let rule: Rule = () => 'pass';
  let faults = 0;

  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => sockets.delete(socket));
  };
  const fateOf = (request: IncomingMessage) => {
    const fate = rule(`${request.method} ${request.url}`);
    if (fate !== 'pass') faults++;
    return fate;
  };
  const server = createServer((request, response) => {
    const fate = fateOf(request);
    if (fate === 'hang') return void request.resume();
    if (fate === 'cut') return void request.socket.destroy();
    if (typeof fate === 'number') return refuse(request, response, fate);
    if (/\/events\b/.test(request.url ?? '')) {
      events.add(response);
      response.once('close', () => events.delete(response));
    }
    forward(request, response, fate === 'lose');
  });
  server.on('connection', keep);
  server.on('upgrade', (request: IncomingMessage, client: Socket, head: Buffer) => {
    const fate = fateOf(request);
    if (fate === 'hang') return;
    if (typeof fate === 'number') return void client.end(`HTTP/1.1 ${fate} Injected\r\nContent-Length: 0\r\n\r\n`);
    // What such a connection would carry is neither made nor lost in part.
    if (fate !== 'pass') return void client.destroy();
    const engine = connect(engineSocket);
    keep(engine);
    const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
    engine.write(`${request.method} ${request.url} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
    engine.write(head);
    engine.pipe(client).pipe(engine);
  });
  await once(server.listen(path), 'listening');
  return {
    host: `unix://${path}`,
    engineHost: `unix://${engineSocket}`,
    rule(next) {
      rule = next;
      faults = 0;
    },
    faults: () => faults,
    cutEvents() {
      for (const response of events) response.socket?.destroy();
    },
    inventEvents(list) {
      for (const response of events) for (const event of list) response.write(`${JSON.stringify(event)}\n`);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  request.resume();
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ message: 'injected' }));
}

function forward(request: IncomingMessage, response: ServerResponse, isLost: boolean): void {
  const { method, url: path, headers } = request;
  const onward = send({ socketPath: engineSocket, method, path, headers, agent: false });
  onward.on('error', () => request.socket.destroy());
  onward.once('response', (answer) => {
    if (isLost) {
      answer.resume();
      return void request.socket.destroy();
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    answer.on('error', () => request.socket.destroy());
    answer.pipe(response);
  });
  response.once('close', () => onward.destroy());
  request.pipe(onward);
}
