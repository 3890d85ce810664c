// Answers that public/head.js asked for before there was a main script. Each is taken once, and only while it is fresh.

interface PrefetchedResponse {
  answer: Promise<Response>;
  closing: AbortController;
}

/** What came before the page was there for so long may be wrong by now. */
const freshMs = 15_000;

function answers(): Map<string, PrefetchedResponse> | undefined {
  return (globalThis as { botelPrefetched?: Map<string, PrefetchedResponse> }).botelPrefetched;
}

/** The answer to a GET of `address`; null when it was not asked for, or did not come. The signal ends it. */
export async function takePrefetched(address: string, signal?: AbortSignal | null): Promise<Response | null> {
  const first = answers()?.get(address);
  if (!first) return null;
  answers()?.delete(address);
  if (performance.now() > freshMs || signal?.aborted) {
    first.closing.abort();
    return null;
  }
  signal?.addEventListener('abort', () => first.closing.abort(), { once: true });
  return first.answer.catch(() => null);
}

/** After a change nothing that was read before it counts. */
export function dropPrefetched(): void {
  for (const { closing } of answers()?.values() ?? []) closing.abort();
  answers()?.clear();
}
