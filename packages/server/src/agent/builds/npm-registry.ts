// Fetches package archives from the operator's npm registry: without credentials or redirects,
// within a deadline. Answers are untrusted.
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { rootCertificates } from 'node:tls';

/** The registry did not serve the file. `isFinal`: it refused, and a retry would fail too. */
export class RegistryError extends Error {
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'RegistryError';
    this.isFinal = isFinal;
  }
}

interface Options {
  /** The registry's URL, http or https, with a trailing slash. */
  url: string;
  /** PEM texts of trusted authorities besides the public ones. */
  authorities(): Promise<string[]>;
  /** Deadline for one file, in ms. */
  timeoutMs?: number;
}

export class NpmRegistry {
  readonly #url: string;
  readonly #timeoutMs: number;
  readonly #authorities: Options['authorities'];
  #trusted: Promise<string[]> | null = null;

  constructor({ url, authorities, timeoutMs = 60_000 }: Options) {
    this.#url = url;
    this.#authorities = authorities;
    this.#timeoutMs = timeoutMs;
  }

  /** The bytes at `path` below the registry's URL, at most `bytesMax`. Throws RegistryError. */
  async *read(path: string, bytesMax: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    try {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#timeoutMs)]);
      const response = await this.#request(path, limit);
      try {
        refuseUnlessFile(response, bytesMax);
        let bytes = 0;
        for await (const chunk of response as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          if (bytes > bytesMax) throw tooLarge();
          yield chunk;
        }
      } finally {
        response.destroy();
      }
    } catch (error) {
      if (error instanceof RegistryError) throw error;
      throw new RegistryError('The npm registry did not answer as it should', false, error);
    }
  }

  async #request(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(path, this.#url);
    if (!url.href.startsWith(this.#url)) throw new RegistryError('The path leads out of the npm registry', true);
    const options = { signal, headers: { 'User-Agent': 'botel', Accept: '*/*' } };
    const isHttps = url.protocol === 'https:';
    const ca = isHttps ? await this.#ca() : [];
    return new Promise((resolve, reject) => {
      const request = isHttps ? getHttps(url, { ...options, ca }, resolve) : getHttp(url, options, resolve);
      request.once('error', reject);
    });
  }

  #ca(): Promise<string[]> {
    this.#trusted ??= this.#authorities().then((extra) => [...rootCertificates, ...extra]);
    return this.#trusted;
  }
}

function refuseUnlessFile({ statusCode = 0, headers }: IncomingMessage, bytesMax: number): void {
  // Redirects are refused too: the operator did not choose where the registry points to.
  if (statusCode !== 200) {
    throw new RegistryError(`The npm registry answered ${statusCode}`, statusCode < 500 && statusCode !== 429);
  }
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge();
}

function tooLarge(): RegistryError {
  return new RegistryError('The file is too large', true);
}
