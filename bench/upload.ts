// Archives of 100 MB over the API into a bot that is empty, in turn with the engine's own call for
// it (which is `docker cp`) and `tar x` of the same archive, into folders beside it; and what an
// upload adds to the resident memory of the control plane.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Finding } from './finding.ts';
import type { Ground } from './environment.ts';
import { restingMb } from './memory.ts';
import type { Product } from './product.ts';
import { median } from './statistics.ts';
import { until } from './until.ts';

const rounds = 6;
const unpackedPrefix = 'unpacked-';
const mebibyte = 1024 * 1024;
/** With its headers, the archive stays below the 100 MiB that an upload may have. */
const totalBytes = 96 * mebibyte;
const filesPerFolder = 50;
/** File systems look for other numbers while those of files that were deleted are fresh: seconds
 * that are not measured. */
const restAfterDeletingMs = 6000;

const shapes = { many: 4000, few: 6 };
const formats = { tar: 'cf', 'tar.gz': 'czf' };

interface Archive {
  what: string;
  format: string;
  path: string;
  files: number;
}

interface Times {
  botel: number;
  /** The engine's archive call, into a container that mounts the folder. */
  engine: number;
  tar: number;
  /** With all that was unpacked on the disk, as Botel answers only then. */
  flushed: number;
}

const run = promisify(execFile);

export async function measureUpload(environment: Ground): Promise<Finding[]> {
  const product = await environment.product();
  const directory = join(product.dataDirectory, 'bench');
  const archives = await makeArchives(directory);
  const idleMb = await restingMb(product);
  product.forgetPeak();
  const findings: Finding[] = [];
  for (const archive of archives) {
    const times: Times[] = [];
    for (let round = 0; round < rounds; round++) {
      times.push({
        botel: await uploadToNewBot(product, archive),
        engine: await unpackByEngine(environment, directory, archive),
        tar: await unpackByTar(directory, archive, false),
        flushed: await unpackByTar(directory, archive, true),
      });
    }
    findings.push(findingOf(archive, times));
    await deleteAll(product, directory);
  }
  const peakMb = product.peakResidentMb();
  await environment.close(product);
  return [
    ...findings,
    {
      what: 'resident memory added by uploads, MB',
      samples: rounds * archives.length,
      botel: peakMb - idleMb,
      beside: null,
      aim: { atMost: 60 },
      note: `highest of all uploads; ${idleMb.toFixed(0)} MB before`,
    },
  ];
}

function findingOf({ what }: Archive, times: Times[]): Finding {
  const sides = ['botel', 'engine', 'tar', 'flushed'] as const;
  const [botel = 0, engine = 0, tar = 0, flushed = 0] = sides.map((side) => median(times.map((time) => time[side])));
  const ratio = (beside: number) => `${beside.toFixed(0)} ms, ratio ${(botel / beside).toFixed(2)}`;
  return {
    what: `upload, ${what}, ms`,
    samples: rounds,
    botel,
    beside: { name: 'docker cp', value: engine },
    aim: { atMost: 1.5 },
    note: `tar x: ${ratio(tar)}; tar x and sync: ${ratio(flushed)}`,
  };
}

/** Text that a compressor makes about a quarter smaller. */
async function makeArchives(directory: string): Promise<Archive[]> {
  const archives: Archive[] = [];
  for (const [shape, files] of Object.entries(shapes)) {
    const tree = join(directory, shape);
    const bytes = Math.floor(totalBytes / files);
    for (let file = 0; file < files; file++) {
      const folder = join(tree, `folder-${Math.floor(file / filesPerFolder)}`);
      await mkdir(folder, { recursive: true });
      const text = randomBytes(Math.ceil((bytes * 3) / 4)).toString('base64');
      await writeFile(join(folder, `file-${file}.txt`), text.slice(0, bytes));
    }
    for (const [format, options] of Object.entries(formats)) {
      const path = join(directory, `${shape}.${format}`);
      await run('tar', [options, path, '-C', tree, '.']);
      archives.push({ what: `${format} of ${files} files, 100 MB`, format, path, files });
    }
    await rm(tree, { recursive: true });
  }
  await run('sync', ['-f', directory]);
  return archives;
}

async function uploadToNewBot(product: Product, archive: Archive): Promise<number> {
  const botId = await product.createBot('sleep 100000');
  await settle(product.dataDirectory);
  const began = performance.now();
  const written = await upload(product, `/bots/${botId}/files/upload?extract=${archive.format}`, archive.path);
  const took = performance.now() - began;
  if (written !== archive.files) throw new Error(`${written} files of ${archive.files} were written`);
  return took;
}

/** Sends the file by curl, as an owner would; resolves to the number of files that Botel says it
 * wrote. */
async function upload(product: Product, path: string, file: string): Promise<number> {
  const headers = join(product.dataDirectory, 'bench', 'headers');
  await writeFile(headers, `Authorization: Bearer ${product.token}\nContent-Type: application/octet-stream\nExpect:\n`);
  const url = `${product.url}${path}`;
  const { stdout } = await run('curl', ['-sS', '-X', 'POST', '-H', `@${headers}`, '-T', file, url]);
  return JSON.parse(stdout).data?.files_written;
}

async function unpackByEngine(environment: Ground, directory: string, archive: Archive): Promise<number> {
  const target = await mkdtemp(join(directory, unpackedPrefix));
  const id = await environment.containerWith(target, '/home/bot');
  await settle(directory);
  const began = performance.now();
  const answer = await environment.engine.upload('PUT', `/containers/${id}/archive`, {
    query: { path: '/home/bot' },
    contentType: 'application/x-tar',
    body: createReadStream(archive.path, { highWaterMark: mebibyte }),
  });
  for await (const _ of answer) continue;
  const took = performance.now() - began;
  if (answer.status !== 200) throw new Error(`the engine answered ${answer.status}`);
  await environment.removeContainer(id);
  return took;
}

async function unpackByTar(directory: string, archive: Archive, flush: boolean): Promise<number> {
  const target = await mkdtemp(join(directory, unpackedPrefix));
  await settle(directory);
  const began = performance.now();
  await run('tar', ['xf', archive.path, '-C', target]);
  if (flush) await run('sync', ['-f', target]);
  const took = performance.now() - began;
  return took;
}

/** Nothing is deleted between two measurements, which would pay for it. */
async function deleteAll(product: Product, directory: string): Promise<void> {
  for (const { id } of await product.client.bots()) await product.client.deleteBot(id, true);
  for (const name of await readdir(directory)) {
    if (name.startsWith(unpackedPrefix)) await rm(join(directory, name), { recursive: true });
  }
  const homes = join(product.dataDirectory, 'homes');
  await until('the homes are gone', async () => (await readdir(homes)).length === 0);
  await delay(restAfterDeletingMs);
}

/** What one has left to be written must not be paid by the next. */
async function settle(directory: string): Promise<void> {
  await run('sync', ['-f', directory]);
}
