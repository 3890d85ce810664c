// A client of the engine for tests that refuses every call which DockerEngine has no business with:
// exec, archive, build, plugin, volume and image calls, other networks, and names that no bot has.
import type { Duplex } from 'node:stream';
import { type Answer, type CallOptions, type Method, pathWithQuery } from '../../src/agent/engine/docker/client.ts';
import type { EngineCalls } from '../../src/agent/engine/docker/docker-engine.ts';
import { labelNames } from '../../src/agent/engine/docker/create-body.ts';
import { type BotNetwork, networkBody } from '../../src/agent/engine/docker/network.ts';
import { botName } from './bot-body.ts';

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
const createCall = new RegExp(`^/containers/create\\?name=${name}$`);

export class CheckedClient implements EngineCalls {
  readonly #client: EngineCalls;
  readonly #networkPath: string;
  readonly #networkBody: string;

  constructor(client: EngineCalls, { installId, network }: { installId: string; network: BotNetwork }) {
    this.#client = client;
    this.#networkPath = `/networks/${network.name}`;
    this.#networkBody = JSON.stringify(networkBody(network, { [labelNames.install]: installId }));
  }

  /** As DockerClient's; rejects with a plain Error when the call is not in the list. */
  async request(method: Method, path: string, options: CallOptions = {}): Promise<Answer> {
    const call = pathWithQuery(path, options.query);
    const { body } = options;
    const isAllowed =
      body === undefined ? this.#isPlain(method, call) : method === 'POST' && this.#isCreate(call, body);
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

  #isCreate(call: string, body: unknown): boolean {
    return call === '/networks/create' ? JSON.stringify(body) === this.#networkBody : createCall.test(call);
  }
}

function refused(method: Method, path: string): Error {
  return new Error(`Not a call of the life of a bot: ${method} ${path}`);
}
