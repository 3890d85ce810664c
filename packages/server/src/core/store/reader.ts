// A read-only connection with synchronous reads of committed data; never waits for writers.
import { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery } from 'kysely';
import { rowReader } from './sqlite-dialect.ts';

export class Reader {
  readonly #database: DatabaseSync;

  /**
   * `path`: a database that this process has open. Only SQLite may open the file: closing any other
   * descriptor would drop its locks.
   */
  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true });
    this.#database.exec('pragma busy_timeout = 0; pragma cache_size = -1024');
  }

  /** Each call of the returned function throws when the database can't be read at that moment. */
  prepare<Row>({ sql, parameters }: CompiledQuery<Row>): () => Row[] {
    const read = rowReader(this.#database.prepare(sql));
    return () => read(parameters) as Row[];
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
