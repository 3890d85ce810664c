// Responses that public/head.js requested before the main script. Each is used once, and only while
// fresh.

interface PrefetchedResponse {
  answer: Promise<Response>;
  closing: AbortController;
}

/** Older responses may be out of date. */
const freshMs = 15_000;

function answers(): Map<string, PrefetchedResponse> | undefined {
  return (globalThis as { botelPrefetched?: Map<string, PrefetchedResponse> }).botelPrefetched;
}

/**
 * The response to a GET of `address`; null if it wasn't prefetched or failed. `signal` aborts it.
 */
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

/** Discards everything: called on any write. */
export function dropPrefetched(): void {
  for (const { closing } of answers()?.values() ?? []) closing.abort();
  answers()?.clear();
}
