// wrk, a generator of load in C: it leaves the processors to what is measured.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface WrkResult {
  requests: number;
  perSecond: number;
  p99Ms: number;
}

/** Asks over `connections` for `seconds`. Rejects when a request failed. */
export async function wrk(
  port: number,
  host: string,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<WrkResult> {
  const load = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--latency'];
  const { stdout } = await run('wrk', [...load, '--header', `Host: ${host}`, `http://127.0.0.1:${port}/`]);
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`Requests to port ${port} failed:\n${stdout}`);
  const [, value = '', unit = ''] = /^\s+99%\s+([\d.]+)(us|ms|s)$/m.exec(stdout) ?? [];
  return {
    requests: Number(/^\s*(\d+) requests in/m.exec(stdout)?.[1]),
    perSecond: Number(/^Requests\/sec:\s+([\d.]+)/m.exec(stdout)?.[1]),
    p99Ms: Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit]!,
  };
}
