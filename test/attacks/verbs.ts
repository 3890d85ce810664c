// Every verb of the API on files, each on hostile paths: one call each, with what it answered.
import { gunzipSync, inflateRawSync } from 'node:zlib';
import type { BotelClient } from '@botel/contract/client';
import { makeTar, makeTarGz, makeZip, type MadeEntry } from '../../packages/server/test/support/archive-maker.ts';

interface Outcome {
  status: number;
  /** Everything that came back, unpacked where it was packed. */
  body: Buffer;
}

interface Target {
  client: BotelClient;
  botId: string;
  /** An existing path, or what looks like one. */
  path(): string;
  /** A path where nothing is yet, in a folder that may be swapped. */
  fresh(): string;
  pick<T>(from: readonly T[]): T;
}

export type Verb = (target: Target) => Promise<Outcome>;

/** Longer than any call should take: one that is stuck fails by it. */
const patienceMs = 20_000;

async function call(target: Target, method: string, rest: string, init: RequestInit = {}): Promise<Outcome> {
  const url = `/bots/${target.botId}${rest}`;
  const response = await target.client.fetch(method, url, { ...init, signal: AbortSignal.timeout(patienceMs) });
  // A download whose source is swapped away under it is cut off.
  const body = await response.arrayBuffer().catch((error: Error) => {
    if (error.name === 'TimeoutError') throw error;
    return new ArrayBuffer(0);
  });
  return { status: response.status, body: Buffer.from(body) };
}

function post(target: Target, verb: string, body: object): Promise<Outcome> {
  const headers = { 'Content-Type': 'application/json' };
  return call(target, 'POST', `/files/${verb}`, { headers, body: JSON.stringify(body) });
}

const at = (path: string) => `path=${encodeURIComponent(path)}`;

const hostile: MadeEntry[][] = [
  [{ name: 'f', content: 'x' }],
  [{ name: 'sub/f', content: 'x' }],
  [{ name: '../secret', content: 'x' }],
  [{ name: '/tmp/botel-escaped', content: 'x' }],
  [
    { name: 'out', type: '2', target: '..' },
    { name: 'out/f', content: 'x' },
  ],
  [{ name: 'out', type: '2', target: '/etc' }],
  [{ name: 'hard', type: '1', target: '/etc/passwd' }],
  [{ name: 'device', type: '3' }],
  [{ name: 'pipe', type: '6' }],
  [{ name: 'setuid', content: 'x', mode: 0o104755 }],
];

function upload(target: Target, to: string): Promise<Outcome> {
  const entries = target.pick(hostile);
  const [format, bytes] = target.pick([
    ['zip', makeZip] as const,
    ['tar', makeTar] as const,
    ['tar.gz', makeTarGz] as const,
  ]);
  // At the top it would take everything away that is attacked.
  const mirror = to === '' ? '' : target.pick(['', '&mirror=true']);
  const init = {
    headers: { 'Content-Type': 'application/octet-stream' },
    body: new Uint8Array(bytes(entries)),
  };
  return call(target, 'POST', `/files/upload?extract=${format}&${at(to)}${mirror}`, init);
}

async function packed(target: Target): Promise<Outcome> {
  const to = `packed-${target.pick([1, 2, 3, 4])}.tar.gz`;
  const made = await post(target, 'compress', { paths: [target.path()], to });
  const read = await call(target, 'GET', `/files/content?${at(to)}`);
  await post(target, 'delete', { paths: [to] });
  return { status: made.status, body: read.status === 200 ? gunzipSync(read.body) : read.body };
}

/** Content of a zip file's entries and the file itself, for names. */
function unzipped(zip: Buffer): Buffer {
  const parts = [zip];
  for (let from = zip.indexOf('PK\x03\x04'); from >= 0; from = zip.indexOf('PK\x03\x04', from + 4)) {
    const begin = from + 30 + zip.readUInt16LE(from + 26) + zip.readUInt16LE(from + 28);
    try {
      // Ends with the entry; what follows it is left alone.
      parts.push(inflateRawSync(zip.subarray(begin)));
    } catch {
      parts.push(zip.subarray(begin));
    }
  }
  return Buffer.concat(parts);
}

async function unpackedBackup(target: Target): Promise<Outcome> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: `b${target.pick([1, 2, 3])}` });
  const made = await call(target, 'POST', '/backups', { headers, body });
  if (made.status >= 300) return made;
  const { data } = JSON.parse(made.body.toString()) as { data: { id: string; download_url: string } };
  const answer = await target.client.fetch('GET', data.download_url);
  const bytes = Buffer.from(await answer.arrayBuffer());
  await target.client.call('POST', '/backups/delete', { backup_id: data.id }).catch(() => null);
  return { status: made.status, body: answer.status === 200 ? gunzipSync(bytes) : bytes };
}

export const verbs: Record<string, Verb> = {
  list: (target) => call(target, 'GET', `/files?${at(target.path())}`),
  read: (target) => call(target, 'GET', `/files/content?${at(target.path())}`),
  part: (target) => call(target, 'GET', `/files/content?${at(target.path())}`, { headers: { Range: 'bytes=0-99' } }),
  download: async (target) => {
    const { status, body } = await call(target, 'GET', `/files/download?${at(target.path())}`);
    return { status, body: unzipped(body) };
  },
  write: (target) =>
    call(target, 'PUT', `/files/content?${at(target.pick([target.path(), target.fresh()]))}`, { body: 'written' }),
  mkdir: (target) => post(target, 'mkdir', { path: target.fresh() }),
  move: (target) => post(target, 'move', { from: target.path(), to: target.fresh() }),
  copy: (target) => post(target, 'copy', { from: target.path(), to: target.fresh() }),
  delete: (target) => post(target, 'delete', { paths: [target.path()] }),
  upload: (target) => upload(target, target.path()),
  extract: async (target) => {
    const name = `sent-${target.pick([1, 2, 3, 4])}.zip`;
    const body = new Uint8Array(makeZip(target.pick(hostile)));
    await call(target, 'PUT', `/files/content?${at(name)}`, { body });
    return post(target, 'extract', { path: name, to: target.path() });
  },
  compress: packed,
  template: (target) => post(target, 'template', { template_id: 'nodejs' }),
  backup: unpackedBackup,
};
