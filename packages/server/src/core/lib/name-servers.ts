// DNS queries with bounded concurrency and a timeout each.
import { Resolver } from 'node:dns/promises';
import type { Clock } from './clock.ts';
import { Semaphore } from './semaphore.ts';

const questionsAtOnce = 16;
const maxWaiting = 100;
const triesMs = 1500;
const deadlineMs = 5000;

/** Answers that mean that there is no such record. A name that is too long has none either. */
const absent = new Set(['ENODATA', 'ENOTFOUND', 'EBADNAME']);

export class NameServers {
  readonly #servers: string[];
  readonly #clock: Clock;
  readonly #mutex = new Semaphore(questionsAtOnce);

  /** Addresses, with ports other than 53; an empty list = the system's servers. */
  constructor(servers: string[], clock: Clock) {
    this.#servers = servers;
    this.#clock = clock;
  }

  /** TXT records of `name`, each joined; null = no server answered. */
  txt(name: string): Promise<string[] | null> {
    return this.#ask(async (resolver) => (await resolver.resolveTxt(name)).map((parts) => parts.join('')));
  }

  /** CNAME of `name`; null = no server answered. */
  cname(name: string): Promise<string[] | null> {
    return this.#ask((resolver) => resolver.resolveCname(name));
  }

  /** IPv4 and IPv6 addresses of `name`; null = no server answered. */
  async addresses(name: string): Promise<string[] | null> {
    const [four, six] = await Promise.all([
      this.#ask((resolver) => resolver.resolve4(name)),
      this.#ask((resolver) => resolver.resolve6(name)),
    ]);
    return four === null && six === null ? null : [...(four ?? []), ...(six ?? [])];
  }

  async #ask(question: (resolver: Resolver) => Promise<string[]>): Promise<string[] | null> {
    if (this.#mutex.waiting >= maxWaiting) return null;
    return this.#mutex.run(async () => {
      const resolver = new Resolver({ timeout: triesMs, tries: 2 });
      if (this.#servers.length > 0) resolver.setServers(this.#servers);
      const timer = this.#clock.after(deadlineMs, () => resolver.cancel());
      try {
        return await question(resolver);
      } catch (error) {
        const { code = '', syscall = '' } = error as NodeJS.ErrnoException;
        if (!syscall.startsWith('query')) throw error;
        return absent.has(code) ? [] : null;
      } finally {
        timer.cancel();
      }
    });
  }
}
