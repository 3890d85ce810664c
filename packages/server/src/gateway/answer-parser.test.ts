// Parsing answers of bots, split into pieces at any point, and rejecting malformed ones.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AnswerError, AnswerParser } from './answer-parser.ts';

interface Seen {
  heads: string[];
  informations: number[];
  body: string;
  trailers: string[] | null;
  mayStay: boolean;
  untilClose: boolean;
  idleSeconds: number | null;
}

/** Reads the pieces (latin1); throws AnswerError. */
function read(pieces: readonly string[], method = 'GET'): Seen {
  const seen: Seen = {
    heads: [],
    informations: [],
    body: '',
    trailers: null,
    mayStay: false,
    untilClose: false,
    idleSeconds: null,
  };
  const parser = new AnswerParser(method, {
    onInformation: ({ status }) => void seen.informations.push(status),
    onHead: ({ status, reason, rawHeaders }) => void seen.heads.push([status, reason, ...rawHeaders].join('|')),
    onBody: (piece) => {
      seen.body += piece.toString('latin1');
    },
    onEnd: (trailers) => {
      seen.trailers = trailers;
    },
  });
  for (const piece of pieces) parser.read(Buffer.from(piece, 'latin1'));
  const { mayStay, endsWithConnection: untilClose, idleSeconds } = parser;
  assert.equal(parser.hasEnded, seen.trailers !== null);
  return { ...seen, mayStay, untilClose, idleSeconds };
}

const ok = 'HTTP/1.1 200 OK\r\n';

describe('is read', () => {
  const answers: [string, string, Partial<Seen>, string?][] = [
    ['by its length', `${ok}Content-Length: 5\r\n\r\nhello`, { body: 'hello', trailers: [], mayStay: true }],
    ['an empty one', `${ok}content-length: 0\r\n\r\n`, { body: '', trailers: [] }],
    ['to HEAD', `${ok}Content-Length: 5\r\n\r\n`, { heads: ['200|OK|Content-Length|5'], trailers: [] }, 'HEAD'],
    ['without a body', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n', { trailers: [], mayStay: true }],
    [
      'in chunks',
      `${ok}Transfer-Encoding: Chunked\r\n\r\n3;a="b"\r\nabc\r\n0A\r\n0123456789\r\n0\r\n\r\n`,
      { body: 'abc0123456789', trailers: [], mayStay: true },
    ],
    [
      'in chunks with trailers',
      `${ok}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 1\r\nX-B: \r\n\r\n`,
      { body: 'a', trailers: ['X-Sum', '1', 'X-B', ''] },
    ],
    [
      'to the end of the connection',
      `${ok}\r\nall\r\nof it`,
      { body: 'all\r\nof it', untilClose: true, mayStay: false },
    ],
    ['of HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx', { body: 'x', trailers: [], mayStay: false }],
    [
      'of HTTP/1.0 that stays',
      'HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nKeep-Alive: timeout=7, max=3\r\nContent-Length: 1\r\n\r\nx',
      { mayStay: true, idleSeconds: 7 },
    ],
    ['before it closes', `${ok}Connection: x, Close\r\nContent-Length: 1\r\n\r\nx`, { mayStay: false, trailers: [] }],
    [
      'after information',
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103\r\nLink: </a>\r\n\r\n${ok}Content-Length: 1\r\n\r\nx`,
      { informations: [100, 103], body: 'x', heads: ['200|OK|Content-Length|1'] },
    ],
    ['without a reason', 'HTTP/1.1 418 \r\nContent-Length: 0\r\n\r\n', { heads: ['418||Content-Length|0'] }],
    ['with odd values', `${ok}X-A: \xe9\t \r\nX-B:b:c\r\nContent-Length: 0\r\n\r\n`, {}],
  ];
  for (const [name, text, expected, method] of answers) {
    test(name, () => {
      const whole = read([text], method);
      assert.partialDeepStrictEqual(whole, expected);
      assert.deepEqual(read([...text], method), whole, 'byte by byte');
      for (let cut = 1; cut < text.length; cut++)
        assert.deepEqual(read([text.slice(0, cut), text.slice(cut)], method), whole, `cut at ${cut}`);
    });
  }
});

describe('is refused', () => {
  const answers: [string, string][] = [
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['lines that end with LF alone', 'HTTP/1.1 200 OK\nContent-Length: 0\n\n\r\n\r\n'],
    ['a folded header', `${ok}X-A: 1\r\n b\r\n\r\n`],
    ['a space before the colon', `${ok}Content-Length : 5\r\n\r\nhello`],
    ['a header without a name', `${ok}: x\r\n\r\n`],
    ['a NUL in a header', `${ok}X-A: a\0b\r\n\r\n`],
    ['a CR in a header', `${ok}X-A: a\rb\r\n\r\n`],
    ['two lengths', `${ok}Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello`],
    ['a list of lengths', `${ok}Content-Length: 5, 5\r\n\r\nhello`],
    ['a signed length', `${ok}Content-Length: +5\r\n\r\nhello`],
    ['a length and chunks', `${ok}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['another encoding', `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['a negative chunk', `${ok}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n`],
    ['a chunk in hexadecimal with 0x', `${ok}Transfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n`],
    ['a chunk that is too large', `${ok}Transfer-Encoding: chunked\r\n\r\nfffffffffffff\r\n`],
    ['a chunk with another length', `${ok}Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n`],
    ['another protocol that nobody asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['more than an answer', `${ok}Content-Length: 1\r\n\r\nxy`],
    ['a head without an end', `${ok}X: ${'a'.repeat(70_000)}`],
    ['a line of a chunk without an end', `${ok}Transfer-Encoding: chunked\r\n\r\n1;${'a'.repeat(2000)}`],
  ];
  for (const [name, text] of answers)
    test(name, () => {
      assert.throws(() => read([text]), AnswerError);
      assert.throws(() => read([...text]), AnswerError, 'byte by byte');
    });
});
