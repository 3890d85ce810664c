// The bytes of a request as sent to a bot: its head, and its body framed as it was received.
import type { Socket } from 'node:net';
import type { Sink } from './pump.ts';
import type { ProxiedRequest } from './proxied-request.ts';

/** The head in latin1. Null: it contains something that can't be sent. */
export function requestHead({ request, checked, headers }: ProxiedRequest): string | null {
  let head = `${request.method} ${checked.path} HTTP/1.1\r\n`;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) return null;
    head += `${name}: ${value}\r\n`;
  }
  return `${head}\r\n`;
}

/** Receives the pieces of a body, its end, and the trailers. */
export interface BodySink extends Sink {
  end(trailers: [string, string][]): void;
}

export function sinkOf(socket: Socket, isChunked: boolean): BodySink {
  return {
    write: (piece) => (isChunked ? writeChunk(socket, piece) : socket.write(piece)),
    on: (event, listener) => socket.on(event, listener),
    off: (event, listener) => socket.off(event, listener),
    end(trailers) {
      if (!isChunked) return;
      const fields = trailers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      socket.write(`0\r\n${fields}\r\n`, 'latin1');
    },
  };
}

function writeChunk(socket: Socket, piece: Buffer): boolean {
  socket.cork();
  socket.write(`${piece.length.toString(16)}\r\n`, 'latin1');
  socket.write(piece);
  const goesOn = socket.write('\r\n', 'latin1');
  socket.uncork();
  return goesOn;
}
