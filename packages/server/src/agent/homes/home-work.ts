// Runs work on a bot's files for its owner, within a budget that follows from its disk.
import { addAbortSignal, type Readable } from 'node:stream';
import { mebibyte } from '../../core/domain/quota.ts';
import type { OwnedWork, OwnerWork, Work, WorkKind, WorkRequest } from '../work/owner-work.ts';
import type { FileOwner } from './homes.ts';

/** Of the disk limit, that work may read: files with several names count with each. */
const readPart = 2;
const readFreeBytes = 64 * mebibyte;

/** `signal` fires when the caller is gone. */
export interface FromCaller {
  signal?: AbortSignal | undefined;
}

interface HomeRequest extends FromCaller {
  kind: WorkKind;
  /** `path` unless it is another one. */
  field?: string;
}

export class HomeWork {
  readonly #work: OwnerWork;

  constructor(work: OwnerWork) {
    this.#work = work;
  }

  run<T>(bot: FileOwner, request: HomeRequest, task: (work: Work) => Promise<T>): Promise<T> {
    return this.#work.run(workRequest(bot, request), task);
  }

  /** Work that ends with the stream that `open` returns; without one it ends at once. */
  async stream<T extends { stream: Readable | null }>(
    bot: FileOwner,
    request: HomeRequest,
    open: (work: Work) => Promise<T>,
  ): Promise<T> {
    const work = await this.#work.begin(workRequest(bot, request));
    try {
      const opened = await open(work);
      if (opened.stream) endWith(opened.stream, work);
      else work[Symbol.dispose]();
      return opened;
    } catch (error) {
      work[Symbol.dispose]();
      throw work.reasonFor(error);
    }
  }
}

function workRequest({ id, ownerId = id, diskMb }: FileOwner, request: HomeRequest): WorkRequest {
  const bytesMax = diskMb === undefined ? undefined : readPart * diskMb * mebibyte + readFreeBytes;
  return { field: 'path', ...request, ownerId, botId: id, bytesMax };
}

function endWith(stream: Readable, work: OwnedWork): void {
  addAbortSignal(work.signal, stream);
  stream.once('close', () => work[Symbol.dispose]());
}
