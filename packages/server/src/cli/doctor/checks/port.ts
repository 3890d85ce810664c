// The API's port: free, or held by an answering Botel, which is asked whether it is ready.
import { portState } from '../../../core/lib/port-state.ts';
import { type Check, type Finding, fix, ok, warn } from '../check.ts';

/** `GET /ready` fails from 60 s on. */
const slowSeconds = 10;

export const port: Check = {
  name: 'port',
  async run({ host, port: number }) {
    if (number === 0) return [ok('a free port is chosen at the start')];
    const state = await portState(number, host);
    if (state === 'denied')
      return [fix(`this user may not listen on port ${number}`, 'Set BOTEL_PORT to 1024 or above.')];
    if (state === 'foreign') return [fix(`${host} is not an address of this machine`, 'Correct BOTEL_HOST.')];
    if (state === 'free') return [ok(`port ${number} on ${host} is free`)];
    const version = await answerOf<{ version?: string }>(`http://${host}:${number}/version`);
    if (version?.data?.version) {
      const ready = await answerOf<Readiness>(`http://${host}:${number}/ready`);
      return [ok(`Botel ${version.data.version} answers on ${host}:${number}`), judgeReadiness(ready)];
    }
    return [fix(`port ${number} on ${host} is taken by another program`, 'Stop that program, or set BOTEL_PORT.')];
  },
};

interface Answer<T> {
  data?: T;
  error?: string;
}

interface Readiness {
  oldest_wait_seconds?: number;
}

/** Null = no answer of an API in time. */
function answerOf<T>(url: string): Promise<Answer<T> | null> {
  return fetch(url, { signal: AbortSignal.timeout(2_000) })
    .then((response) => response.json() as Promise<Answer<T>>)
    .catch(() => null);
}

/** `answer`: that of GET /ready. */
export function judgeReadiness(answer: Answer<Readiness> | null): Finding {
  if (!answer) return warn('GET /ready does not answer within 2 s', 'Read its log; the machine may be overloaded.');
  if (!answer.data) return warn(answer.error ?? 'Not ready', 'The other checks and the log say why.');
  const seconds = answer.data.oldest_wait_seconds ?? 0;
  const text = `it is ready; the longest wait of a bot for its turn is ${seconds} s`;
  return seconds < slowSeconds ? ok(text) : warn(text, 'The machine is overloaded, or its container engine is slow.');
}
