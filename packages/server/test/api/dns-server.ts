// A name server on loopback that answers what a test says: texts and aliases of names, or nothing
// at all.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const types: Record<number, 'CNAME' | 'TXT'> = { 5: 'CNAME', 16: 'TXT' };

/** `records`: values by `TXT name` or `CNAME name`; what is not in it does not exist. */
export interface DnsServer {
  address: string;
  records: Map<string, string[]>;
  /** `silent`: no answer; `broken`: an answer that says that there can be none. */
  mood: 'well' | 'silent' | 'broken';
  /** What was asked, in the form of the keys of `records`. */
  asked: string[];
  close(): void;
}

export async function startDnsServer(): Promise<DnsServer> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const server: DnsServer = {
    address: `127.0.0.1:${socket.address().port}`,
    records: new Map(),
    mood: 'well',
    asked: [],
    close: () => socket.close(),
  };
  socket.on('message', (query, { port, address }) => {
    const { name, end } = nameIn(query);
    const type = query.readUInt16BE(end);
    const key = `${types[type] ?? type} ${name.toLowerCase()}`;
    server.asked.push(key);
    if (server.mood === 'silent') return;
    const values = server.records.get(key) ?? [];
    const noSuchName = 3;
    const serverFailure = 2;
    const code = server.mood === 'broken' ? serverFailure : values.length > 0 ? 0 : noSuchName;
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(code === 0 ? values.length : 0, 6);
    header.writeUInt32BE(0, 8);
    const answers = code === 0 ? values.map((value) => answerOf(type, value)) : [];
    socket.send(Buffer.concat([header, query.subarray(12, end + 4), ...answers]), port, address);
  });
  return server;
}

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), end: at + 1 };
}

/** A record of the name that was asked for. */
function answerOf(type: number, value: string): Buffer {
  const data = types[type] === 'TXT' ? Buffer.concat(piecesOf(value)) : encodedName(value);
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** A text goes out in short pieces, as long ones do. */
function piecesOf(value: string): Buffer[] {
  return (value.match(/.{1,20}/gs) ?? ['']).map((piece) =>
    Buffer.concat([Buffer.from([piece.length]), Buffer.from(piece, 'latin1')]),
  );
}

function encodedName(name: string): Buffer {
  const labels = name.replace(/\.$/, '').split('.');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.alloc(1),
  ]);
}
