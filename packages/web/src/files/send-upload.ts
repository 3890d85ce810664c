// Sends bytes with progress, which `fetch` does not report.
import { ApiError } from '@botel/contract/client';
import { sessionEnded } from '../api/calls.ts';

interface Upload {
  address: string;
  body: Blob;
  /** 0 to 1 */
  onProgress: (part: number) => void;
  signal?: AbortSignal;
}

/** Rejects with ApiError like calls do, with status 0 when aborted. */
export async function sendUpload({ address, body, onProgress, signal }: Upload): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const request = new XMLHttpRequest();
  request.open('POST', address);
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0));
  request.addEventListener('load', () => {
    if (request.status >= 200 && request.status < 300) resolve();
    else {
      if (request.status === 401) sessionEnded.set(true);
      reject(errorOf(request));
    }
  });
  const unreachable = () => reject(new ApiError(0, 'unreachable', 'The server does not answer'));
  request.addEventListener('error', unreachable);
  request.addEventListener('abort', unreachable);
  signal?.addEventListener('abort', () => request.abort(), { once: true });
  request.send(body);
  return promise;
}

function errorOf(request: XMLHttpRequest): ApiError {
  const headers = new Headers();
  for (const name of ['X-Request-Id', 'X-Error-Field']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  const code = request.getResponseHeader('X-Error-Code') ?? 'unknown';
  return new ApiError(request.status, code, messageOf(request.responseText), { headers });
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: unknown }).error ?? text);
  } catch {
    return text;
  }
}
