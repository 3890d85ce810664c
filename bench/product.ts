// Botel as an operator runs it: `./botel serve` in a process of its own, with a data folder of its
// own on the disk. Can be killed and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { BotData } from '@botel/contract/bots';
import { BotelClient } from '@botel/contract/client';
import { checkoutPath } from '../packages/server/src/core/lib/checkout.ts';
import { cpuMs, memoryMb } from './process-figures.ts';
import { until } from './until.ts';

/** Of the account that measures. */
export const email = 'bench@botel.localhost';
const password = 'only for measurements';

export class Product {
  readonly dataDirectory: string;
  url = '';
  token = '';
  client = new BotelClient('');
  readonly #settings: Record<string, string>;
  #child: ChildProcess | null = null;

  constructor(dataDirectory: string, settings: Record<string, string> = {}) {
    this.dataDirectory = dataDirectory;
    this.#settings = settings;
    mkdirSync(dataDirectory, { recursive: true, mode: 0o711 });
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** The install's id, which its containers carry; null before the first start. */
  get installId(): string | null {
    const path = join(this.dataDirectory, 'install-id');
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
  }

  /** Spawns the process; resolves once it listens. The address is another one each time, the token
   * stays. */
  async start(): Promise<void> {
    const child = spawn(checkoutPath('botel'), ['serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        BOTEL_PORT: '0',
        BOTEL_LOG_LEVEL: 'warn',
        BOTEL_DATA_DIR: this.dataDirectory,
        BOTEL_ADMIN_EMAIL: email,
        BOTEL_ADMIN_PASSWORD: password,
        BOTEL_DEFAULT_PLAN_BOTS: '1000',
        BOTEL_RATE_USER: '1000000',
        BOTEL_RATE_LIFECYCLE: '1000000',
        BOTEL_RATE_PUBLIC: '1000000',
        BOTEL_DEFAULT_PLAN_MEMORY_MB: '1000000',
        ...this.#settings,
      },
    });
    this.#child = child;
    this.url = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`botel serve ended with ${code} before it listened`)));
      createInterface({ input: child.stdout! }).on('line', (line) => {
        const url = /^Botel listens on (\S+)$/.exec(line)?.[1];
        if (url) resolve(url);
      });
    });
    if (this.token === '') this.token = (await new BotelClient(this.url).login(email, password)).token;
    this.client = new BotelClient(this.url, this.token);
  }

  /** Ends the process and resolves when it is gone. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    await gone;
  }

  /** Creates a bot; 512 MB is one CPU. */
  async createBot(startupCommand: string, environment: Record<string, string> = {}, memory = 512): Promise<string> {
    const name = `bench-${Math.random().toString(36).slice(2)}`;
    const input = { name, language: 'nodejs', memory, startup_command: startupCommand, environment } as const;
    return (await this.client.createBot(input)).id;
  }

  async startBot(botId: string): Promise<BotData> {
    await this.client.lifecycle('start', botId);
    return this.reaches(botId, 'online');
  }

  /** Kills the bot and waits until its container is gone. */
  async killBot(botId: string): Promise<void> {
    await this.client.lifecycle('kill', botId);
    await this.reaches(botId, 'offline');
  }

  reaches(botId: string, status: BotData['status']): Promise<BotData> {
    return until(`${botId} is ${status}`, async () => {
      const bot = await this.client.bot(botId);
      return bot.status === status ? bot : null;
    });
  }

  /** Resident memory of the process in MB. */
  residentMb(): number {
    return memoryMb(this.pid, 'VmRSS');
  }

  /** The most that it was since forgetPeak. */
  peakResidentMb(): number {
    return memoryMb(this.pid, 'VmHWM');
  }

  /** What came before counts no more: hashing a password at the start takes most. */
  forgetPeak(): void {
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5');
  }

  /** Processor time that the process has taken, all threads together, in ms. */
  cpuMs(): number {
    return cpuMs(this.pid);
  }
}
