// The log tables: `log_chunks` and `log_heads` of bots, `access_chunks` and `access_heads` of apps.
// Encoded lines are opaque here.
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { fromColumns, toColumns } from './columns.ts';
import { Store } from './store.ts';

/** Consecutive lines. This class implements LineTable of core/logs/log-table.ts. */
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

/** Line bytes per page, unless a single chunk is larger. */
const pageBytes = 64 * 1024;
const chunksPerPage = 64;
const chunksPerPrune = 256;
/** Small appends join the newest chunk: one row per line would slow down searches. */
const openChunkBytes = 16 * 1024;

/** Table names of one kind of log. */
export interface LineTables {
  chunks: 'log_chunks';
  heads: 'log_heads';
  /** The key column of both tables. */
  key: 'bot_id';
}

export const logTables: LineTables = { chunks: 'log_chunks', heads: 'log_heads', key: 'bot_id' };

/** The same shape with other names, which the types ignore. */
export const accessTables = { chunks: 'access_chunks', heads: 'access_heads', key: 'app_id' } as unknown as LineTables;

export class LineChunks extends Store {
  readonly #tables: LineTables;

  constructor(database: Database, tables: LineTables) {
    super(database);
    this.#tables = tables;
  }

  async lastSeq(key: string): Promise<number> {
    const row = await this.#head(key).select('last_seq').executeTakeFirst();
    return row?.last_seq ?? 0;
  }

  async oldestSeq(key: string): Promise<number | null> {
    const row = await this.#chunks(key).select('first_seq').orderBy('first_seq').limit(1).executeTakeFirst();
    return row?.first_seq ?? null;
  }

  /** See LineTable. */
  append(key: string, count: number, encode: (firstSeq: number) => Chunk[]): Promise<number> {
    return this.database.transaction(async () => {
      const head = await this.db
        .insertInto(this.#tables.heads)
        .values({ [this.#tables.key]: key, last_seq: count, bytes: 0, open_seq: null, open_bytes: 0 })
        .onConflict((conflict) =>
          conflict
            .column(this.#tables.key)
            .doUpdateSet({ last_seq: sql<number>`${sql.ref(this.#tables.heads)}.last_seq + ${count}` }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      let { bytes, open_seq, open_bytes } = head;
      for (const chunk of encode(head.last_seq - count + 1)) {
        const added = Buffer.byteLength(chunk.body);
        if (open_seq !== null && open_bytes + 1 + added <= openChunkBytes) {
          await this.#extend(key, open_seq, chunk, added + 1);
          open_bytes += added + 1;
          bytes += added + 1;
        } else {
          await this.#insert(key, chunk, added);
          open_seq = chunk.firstSeq;
          open_bytes = added;
          bytes += added;
        }
      }
      await this.db
        .updateTable(this.#tables.heads)
        .set({ bytes, open_seq, open_bytes })
        .where(this.#tables.key, '=', key)
        .execute();
      return bytes;
    });
  }

  /** The first chunk with lines after `seq`; null when there is none. */
  async chunkAfter(key: string, seq: number): Promise<Chunk | null> {
    const row = await this.#chunks(key)
      .select(chunkColumns)
      .where('first_seq', '>=', this.#lastBegin(key, seq))
      .where('last_seq', '>', seq)
      .orderBy('first_seq', 'asc')
      .limit(1)
      .executeTakeFirst();
    return row ? fromColumns(row) : null;
  }

  /** A page of chunks with lines after `seq`, ascending. */
  async pageAfter(key: string, seq: number, range: TimeRange = {}): Promise<Chunk[]> {
    const spans = await this.#spans(key, range)
      .where('first_seq', '>=', this.#lastBegin(key, seq))
      .where('last_seq', '>', seq)
      .orderBy('first_seq', 'asc')
      .execute();
    if (spans.length === 0) return [];
    const chunks = await this.#load(key, spans, 'asc');
    // These chunks were pruned meanwhile; later ones still exist.
    return chunks.length > 0 ? chunks : this.pageAfter(key, seq, range);
  }

  /** A page of chunks with lines before `seq`, descending. */
  async pageBefore(key: string, seq: number, range: TimeRange = {}): Promise<Chunk[]> {
    const spans = await this.#spans(key, range).where('first_seq', '<', seq).orderBy('first_seq', 'desc').execute();
    return spans.length === 0 ? [] : this.#load(key, spans, 'desc');
  }

  /** Deletes the oldest chunks beyond `maxBytes` or wholly before `before`. */
  prune(key: string, limits: { maxBytes: number; before: number }): Promise<boolean> {
    return this.database.transaction(async () => {
      const db = this.db;
      const head = await this.#head(key).selectAll().executeTakeFirst();
      if (!head) return false;
      const oldest = await this.#chunks(key)
        .select(['first_seq', 'bytes', 'last_at'])
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
      await db
        .deleteFrom(this.#tables.chunks)
        .where(this.#tables.key, '=', key)
        .where('first_seq', '<=', last)
        .execute();
      await db
        .updateTable(this.#tables.heads)
        .set({ bytes, ...(head.open_seq !== null && head.open_seq <= last && { open_seq: null, open_bytes: 0 }) })
        .where(this.#tables.key, '=', key)
        .execute();
      return deleted.length === chunksPerPrune;
    });
  }

  #head(key: string) {
    return this.db.selectFrom(this.#tables.heads).where(this.#tables.key, '=', key);
  }

  #chunks(key: string) {
    return this.db.selectFrom(this.#tables.chunks).where(this.#tables.key, '=', key);
  }

  /** First sequence number of the newest chunk that may hold the line after `seq`. */
  #lastBegin(key: string, seq: number) {
    const { chunks, key: column } = this.#tables;
    return sql<number>`coalesce((select max(first_seq) from ${sql.table(chunks)} where ${sql.ref(column)} = ${key} and first_seq <= ${seq + 1}), 0)`;
  }

  async #insert(key: string, chunk: Chunk, bytes: number): Promise<void> {
    await this.db
      .insertInto(this.#tables.chunks)
      .values({ [this.#tables.key]: key, bytes, ...toColumns(chunk) })
      .execute();
  }

  async #extend(key: string, openSeq: number, chunk: Chunk, bytes: number): Promise<void> {
    await this.db
      .updateTable(this.#tables.chunks)
      .set((set) => ({
        last_seq: chunk.lastSeq,
        first_at: sql<number>`min(first_at, ${chunk.firstAt})`,
        last_at: sql<number>`max(last_at, ${chunk.lastAt})`,
        bytes: set('bytes', '+', bytes),
        body: sql<string>`body || char(10) || ${chunk.body}`,
      }))
      .where(this.#tables.key, '=', key)
      .where('first_seq', '=', openSeq)
      .execute();
  }

  /** Selects sizes first, so that the number of loaded bodies is bounded. */
  #spans(key: string, range: TimeRange) {
    let query = this.#chunks(key).select(['first_seq', 'bytes']).limit(chunksPerPage);
    if (range.since !== undefined) query = query.where('last_at', '>=', range.since);
    if (range.until !== undefined) query = query.where('first_at', '<=', range.until);
    return query;
  }

  async #load(key: string, spans: Span[], order: 'asc' | 'desc'): Promise<Chunk[]> {
    let bytes = 0;
    const wanted = spans.filter((span, index) => (bytes += span.bytes) <= pageBytes || index === 0);
    const firsts = wanted.map(({ first_seq }) => first_seq);
    const rows = await this.#chunks(key)
      .select(chunkColumns)
      .where('first_seq', 'in', firsts)
      .orderBy('first_seq', order)
      .execute();
    return rows.map(fromColumns);
  }
}

const chunkColumns = ['first_seq', 'last_seq', 'first_at', 'last_at', 'body'] as const;
