// The tables `log_chunks`, `log_heads` and `log_cursors`; the only file with SQL on them. Takes encoded lines as opaque
// text; must not parse them, nor decide what is kept.
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Consecutive lines; see logs/log-table.ts, whose LogTable this class satisfies. */
interface Chunk {
  firstSeq: number;
  lastSeq: number;
  firstAt: number;
  lastAt: number;
  body: string;
}

interface Span {
  first_seq: number;
  bytes: number;
}

interface TimeRange {
  since?: number | undefined;
  until?: number | undefined;
}

/** Bytes of lines that one page read holds at most, unless a single chunk is larger. */
const pageBytes = 64 * 1024;
const chunksPerPage = 64;
const chunksPerPrune = 256;
/** A chunk takes small appends until it has this size: one row per line would make long histories slow to search. */
const openChunkBytes = 16 * 1024;

export class LogChunks {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async lastSeq(botId: string): Promise<number> {
    const row = await this.#database.db
      .selectFrom('log_heads')
      .select('last_seq')
      .where('bot_id', '=', botId)
      .executeTakeFirst();
    return row?.last_seq ?? 0;
  }

  async oldestSeq(botId: string): Promise<number | null> {
    const row = await this.#database.db
      .selectFrom('log_chunks')
      .select('first_seq')
      .where('bot_id', '=', botId)
      .orderBy('first_seq')
      .limit(1)
      .executeTakeFirst();
    return row?.first_seq ?? null;
  }

  /** Takes `count` sequence numbers and stores what `encode` makes of the first; returns the bytes of the bot's log. */
  append(botId: string, count: number, encode: (firstSeq: number) => Chunk[]): Promise<number> {
    return this.#database.transaction(async () => {
      const head = await this.#database.db
        .insertInto('log_heads')
        .values({ bot_id: botId, last_seq: count, bytes: 0, open_seq: null, open_bytes: 0 })
        .onConflict((conflict) =>
          conflict.column('bot_id').doUpdateSet((set) => ({ last_seq: set('log_heads.last_seq', '+', count) })),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      let { bytes, open_seq, open_bytes } = head;
      for (const chunk of encode(head.last_seq - count + 1)) {
        const added = Buffer.byteLength(chunk.body);
        if (open_seq !== null && open_bytes + 1 + added <= openChunkBytes) {
          await this.#extend(botId, open_seq, chunk, added + 1);
          open_bytes += added + 1;
          bytes += added + 1;
        } else {
          await this.#insert(botId, chunk, added);
          open_seq = chunk.firstSeq;
          open_bytes = added;
          bytes += added;
        }
      }
      await this.#database.db
        .updateTable('log_heads')
        .set({ bytes, open_seq, open_bytes })
        .where('bot_id', '=', botId)
        .execute();
      return bytes;
    });
  }

  /** The first chunk with lines after `seq`; null when there is none. */
  async chunkAfter(botId: string, seq: number): Promise<Chunk | null> {
    const row = await this.#database.db
      .selectFrom('log_chunks')
      .select(chunkColumns)
      .where('bot_id', '=', botId)
      .where('first_seq', '>=', lastBegin(botId, seq))
      .where('last_seq', '>', seq)
      .orderBy('first_seq', 'asc')
      .limit(1)
      .executeTakeFirst();
    return row ? toChunk(row) : null;
  }

  /** Chunks with lines after `seq`, ascending, one page of them. */
  async pageAfter(botId: string, seq: number, range: TimeRange = {}): Promise<Chunk[]> {
    const spans = await this.#spans(botId, range)
      .where('first_seq', '>=', lastBegin(botId, seq))
      .where('last_seq', '>', seq)
      .orderBy('first_seq', 'asc')
      .execute();
    if (spans.length === 0) return [];
    const chunks = await this.#load(botId, spans, 'asc');
    // All of them were pruned meanwhile; what comes next is still there.
    return chunks.length > 0 ? chunks : this.pageAfter(botId, seq, range);
  }

  /** Chunks with lines before `seq`, descending, one page of them. */
  async pageBefore(botId: string, seq: number, range: TimeRange = {}): Promise<Chunk[]> {
    const spans = await this.#spans(botId, range).where('first_seq', '<', seq).orderBy('first_seq', 'desc').execute();
    return spans.length === 0 ? [] : this.#load(botId, spans, 'desc');
  }

  /** Deletes oldest chunks over `maxBytes` or wholly before `before`; true when there is more to delete. */
  prune(botId: string, limits: { maxBytes: number; before: number }): Promise<boolean> {
    return this.#database.transaction(async () => {
      const db = this.#database.db;
      const head = await db.selectFrom('log_heads').selectAll().where('bot_id', '=', botId).executeTakeFirst();
      if (!head) return false;
      const oldest = await db
        .selectFrom('log_chunks')
        .select(['first_seq', 'bytes', 'last_at'])
        .where('bot_id', '=', botId)
        .orderBy('first_seq')
        .limit(chunksPerPrune)
        .execute();
      let bytes = head.bytes;
      const deleted: number[] = [];
      for (const chunk of oldest) {
        if (bytes <= limits.maxBytes && chunk.last_at >= limits.before) break;
        bytes -= chunk.bytes;
        deleted.push(chunk.first_seq);
      }
      const last = deleted.at(-1);
      if (last === undefined) return false;
      await db.deleteFrom('log_chunks').where('bot_id', '=', botId).where('first_seq', '<=', last).execute();
      await db
        .updateTable('log_heads')
        .set({ bytes, ...(head.open_seq !== null && head.open_seq <= last && { open_seq: null, open_bytes: 0 }) })
        .where('bot_id', '=', botId)
        .execute();
      return deleted.length === chunksPerPrune;
    });
  }

  async cursor(botId: string, run: number): Promise<{ containerId: string; cursor: string } | null> {
    const row = await this.#database.db
      .selectFrom('log_cursors')
      .select(['container_id', 'cursor'])
      .where('bot_id', '=', botId)
      .where('run', '=', run)
      .executeTakeFirst();
    return row ? { containerId: row.container_id, cursor: row.cursor } : null;
  }

  /** Replaces a run's cursor and forgets those of runs before the one before it. */
  async saveCursor(botId: string, run: number, cursor: { containerId: string; cursor: string }): Promise<void> {
    const values = { container_id: cursor.containerId, cursor: cursor.cursor };
    const db = this.#database.db;
    const updated = await db
      .updateTable('log_cursors')
      .set(values)
      .where('bot_id', '=', botId)
      .where('run', '=', run)
      .executeTakeFirst();
    if (updated.numUpdatedRows > 0n) return;
    await db
      .insertInto('log_cursors')
      .values({ bot_id: botId, run, ...values })
      .execute();
    await db
      .deleteFrom('log_cursors')
      .where('bot_id', '=', botId)
      .where('run', '<', run - 1)
      .execute();
  }

  async #insert(botId: string, chunk: Chunk, bytes: number): Promise<void> {
    await this.#database.db
      .insertInto('log_chunks')
      .values({
        bot_id: botId,
        first_seq: chunk.firstSeq,
        last_seq: chunk.lastSeq,
        first_at: chunk.firstAt,
        last_at: chunk.lastAt,
        bytes,
        body: chunk.body,
      })
      .execute();
  }

  async #extend(botId: string, openSeq: number, chunk: Chunk, bytes: number): Promise<void> {
    await this.#database.db
      .updateTable('log_chunks')
      .set((set) => ({
        last_seq: chunk.lastSeq,
        first_at: sql<number>`min(first_at, ${chunk.firstAt})`,
        last_at: sql<number>`max(last_at, ${chunk.lastAt})`,
        bytes: set('bytes', '+', bytes),
        body: sql<string>`body || char(10) || ${chunk.body}`,
      }))
      .where('bot_id', '=', botId)
      .where('first_seq', '=', openSeq)
      .execute();
  }

  /** Sizes first: bodies are only loaded once their number is bounded. */
  #spans(botId: string, range: TimeRange) {
    let query = this.#database.db
      .selectFrom('log_chunks')
      .select(['first_seq', 'bytes'])
      .where('bot_id', '=', botId)
      .limit(chunksPerPage);
    if (range.since !== undefined) query = query.where('last_at', '>=', range.since);
    if (range.until !== undefined) query = query.where('first_at', '<=', range.until);
    return query;
  }

  async #load(botId: string, spans: Span[], order: 'asc' | 'desc'): Promise<Chunk[]> {
    let bytes = 0;
    const wanted = spans.filter((span, index) => (bytes += span.bytes) <= pageBytes || index === 0);
    const rows = await this.#database.db
      .selectFrom('log_chunks')
      .select(chunkColumns)
      .where('bot_id', '=', botId)
      .where(
        'first_seq',
        'in',
        wanted.map((span) => span.first_seq),
      )
      .orderBy('first_seq', order)
      .execute();
    return rows.map(toChunk);
  }
}

const chunkColumns = ['first_seq', 'last_seq', 'first_at', 'last_at', 'body'] as const;

function toChunk(row: Record<'first_seq' | 'last_seq' | 'first_at' | 'last_at', number> & { body: string }): Chunk {
  return {
    firstSeq: row.first_seq,
    lastSeq: row.last_seq,
    firstAt: row.first_at,
    lastAt: row.last_at,
    body: row.body,
  };
}

/** Where the newest chunk begins that may hold the line after `seq`. */
function lastBegin(botId: string, seq: number) {
  return sql<number>`coalesce((select max(first_seq) from log_chunks where bot_id = ${botId} and first_seq <= ${seq + 1}), 0)`;
}
