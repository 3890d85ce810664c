// A process that reads a bot's lines as they come, from Botel's stream or from the engine's, and
// reports on each order of the printer (bots/printer.js): all lines there, in order, and when.
import { request } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { answerOrders } from './child.ts';
import { percentile } from './statistics.ts';

/** Where lines come from: `framed` is the engine's multiplexed stream, else server-sent events. */
export interface Source {
  kind: 'open';
  target: { socketPath?: string; host?: string; port?: number; path: string; headers: Record<string, string> };
  framed: boolean;
}

export interface Expectation {
  kind: 'expect';
  order: number;
  lines: number;
}

export interface Report {
  /** From the printing of the first line to the arrival of the last one. */
  seconds: number;
  /** Between print and arrival, ms. */
  p50: number;
  p99: number;
  received: number;
  /** Lines that did not come, came twice or too late. */
  wrong: number;
}

/** Without a line for so long an order counts as done. */
const silenceMs = 3000;

class Reception {
  order = -1;
  received = 0;
  wrong = 0;
  firstPrinted = 0n;
  lastArrival = 0n;
  readonly latencies: number[] = [];
  #next = 0;

  take(order: number, index: number, printed: bigint, arrival: bigint): void {
    if (order !== this.order) {
      this.order = order;
      this.received = this.wrong = this.#next = 0;
      this.latencies.length = 0;
      this.firstPrinted = printed;
    }
    if (index !== this.#next) this.wrong += index > this.#next ? index - this.#next : 1;
    this.#next = index + 1;
    this.received++;
    this.lastArrival = arrival;
    this.latencies.push(Number(arrival - printed) / 1e6);
  }

  get next(): number {
    return this.#next;
  }
}

const reception = new Reception();

answerOrders<Source | Expectation, Report | null>((order) => (order.kind === 'open' ? open(order) : report(order)));

/** Resolves once the stream is open. */
function open({ target, framed }: Source): Promise<null> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...target, method: 'GET' }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`The stream answered ${response.statusCode}`));
      response.on('data', framed ? frameReader() : eventReader());
      response.on('end', () => process.exit(1));
      resolve(null);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** Waits for the order's last line, or for silence. */
async function report({ order, lines }: Expectation): Promise<Report> {
  let [seen, since] = [-1, performance.now()];
  for (;;) {
    if (reception.order === order && reception.next >= lines) break;
    if (reception.received !== seen) [seen, since] = [reception.received, performance.now()];
    else if (performance.now() - since > silenceMs) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { received, wrong, latencies, firstPrinted, lastArrival, next } = reception;
  return {
    seconds: Number(lastArrival - firstPrinted) / 1e9,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    received,
    wrong: wrong + lines - next,
  };
}

function eventReader(): (bytes: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return (bytes) => {
    const arrival = process.hrtime.bigint();
    const text = rest + decoder.write(bytes);
    const end = text.lastIndexOf('\n\n') + 1;
    rest = text.slice(end);
    for (const match of text.slice(0, end).matchAll(/"text":"(\d+) (\d+) (\d+) /g)) take(match, arrival);
  };
}

function frameReader(): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    const arrival = process.hrtime.bigint();
    const data = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let start = 0;
    while (data.length >= start + 8) {
      const end = start + 8 + data.readUInt32BE(start + 4);
      if (data.length < end) break;
      const match = /^(\d+) (\d+) (\d+) /.exec(data.toString('latin1', start + 8, end));
      if (match) take(match, arrival);
      start = end;
    }
    rest = data.subarray(start);
  };
}

function take(match: RegExpExecArray, arrival: bigint): void {
  reception.take(Number(match[1]), Number(match[2]), BigInt(match[3]!), arrival);
}
