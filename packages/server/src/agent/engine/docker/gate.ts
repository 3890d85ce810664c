// The one door to the engine for everything in the life of a bot: a closed list of calls, with their queries and bodies.
// What is not in it is refused before it is sent: no exec, archive, build, plugin, volume or image call, no foreign network.
import type { Duplex } from 'node:stream';
import { type BodyBounds, botBody, botName } from './bot-body.ts';
import { type Answer, type CallOptions, type DockerClient, type Method, pathWithQuery } from './client.ts';
import { labelNames } from './create-body.ts';
import { type BotNetwork, networkBody } from './network.ts';

/** What those who talk to the engine about bots have of a client. */
export type EngineCalls = Pick<DockerClient, 'request' | 'stream' | 'connect' | 'close'>;

const maxBodyBytes = 2 * 1024 * 1024;
const id = '[0-9a-f]{64}';
const name = botName.source.slice(1, -1);
const filters = '[^&]*';

/** Plain calls without a body; the query is a part of what is matched. */
const plainCalls: Partial<Record<Method, RegExp[]>> = {
  GET: [
    /^\/info$/,
    /^\/version$/,
    new RegExp(`^/containers/json\\?all=true&filters=${filters}$`),
    new RegExp(`^/containers/(${id}|${name})/json$`),
  ],
  POST: [
    new RegExp(`^/containers/${id}/start$`),
    new RegExp(`^/containers/${id}/stop\\?t=\\d{1,4}$`),
    new RegExp(`^/containers/${id}/kill\\?signal=SIGKILL$`),
  ],
  DELETE: [new RegExp(`^/containers/${id}\\?v=1$`)],
};
const streamedCall = new RegExp(`^/events\\?filters=${filters}&since=\\d+$`);
/** To stdin alone, or to the output alone. */
const attachCall = new RegExp(`^/containers/${id}/attach\\?stream=true&(stdin=true|stdout=true&stderr=true)$`);
const createCall = /^\/containers\/create\?name=([^&]*)$/;

interface GateOptions extends Omit<BodyBounds, 'networkName'> {
  network: BotNetwork;
}

export class EngineGate implements EngineCalls {
  readonly #client: EngineCalls;
  readonly #isBot: (body: unknown, name: string) => boolean;
  readonly #networkPath: string;
  readonly #networkBody: string;

  constructor(client: EngineCalls, { installId, network, directory }: GateOptions) {
    this.#client = client;
    this.#isBot = botBody({ installId, networkName: network.name, directory });
    this.#networkPath = `/networks/${network.name}`;
    this.#networkBody = JSON.stringify(networkBody(network, { [labelNames.install]: installId }));
  }

  /** As DockerClient's; rejects with a plain Error when the call is not in the list. */
  async request(method: Method, path: string, options: CallOptions = {}): Promise<Answer> {
    const call = pathWithQuery(path, options.query);
    const { body } = options;
    const isAllowed =
      body === undefined ? this.#isPlain(method, call) : method === 'POST' && this.#isMaking(call, body);
    if (!isAllowed) throw refused(method, path);
    return this.#client.request(method, path, options);
  }

  async stream(method: Method, path: string, options: Parameters<EngineCalls['stream']>[2] = {}) {
    if (method !== 'GET' || !streamedCall.test(pathWithQuery(path, options.query))) throw refused(method, path);
    return this.#client.stream(method, path, options);
  }

  async connect(path: string, options: Parameters<EngineCalls['connect']>[1] = {}): Promise<Duplex> {
    if ('body' in options || !attachCall.test(pathWithQuery(path, options.query))) throw refused('POST', path);
    return this.#client.connect(path, options);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  #isPlain(method: Method, call: string): boolean {
    if (method === 'GET' && call === this.#networkPath) return true;
    return plainCalls[method]?.some((allowed) => allowed.test(call)) ?? false;
  }

  #isMaking(call: string, body: unknown): boolean {
    const text = JSON.stringify(body);
    if (Buffer.byteLength(text) > maxBodyBytes) return false;
    if (call === '/networks/create') return text === this.#networkBody;
    const made = createCall.exec(call)?.[1];
    // What is sent is what its text says, not what the object would say at another time.
    return made !== undefined && this.#isBot(JSON.parse(text), made);
  }
}

function refused(method: Method, path: string): Error {
  return new Error(`Not a call of the life of a bot: ${method} ${path}`);
}
