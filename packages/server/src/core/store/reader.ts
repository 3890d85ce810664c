// A connection of its own that only reads, and at once: it sees what is committed while others write, and waits for nobody. Must not
// know any table.
import { DatabaseSync } from 'node:sqlite';
import type { CompiledQuery } from 'kysely';
import { rowReader } from './sqlite-dialect.ts';

export class Reader {
  readonly #database: DatabaseSync;

  /** Of a database that this process has open. The file is opened by SQLite alone: by other means locks would be lost. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path, { readOnly: true });
    this.#database.exec('pragma busy_timeout = 0; pragma cache_size = -1024');
  }

  /** Each call of what is returned throws when the database can't be read at this moment. */
  prepare<Row>({ sql, parameters }: CompiledQuery<Row>): () => Row[] {
    const read = rowReader(this.#database.prepare(sql));
    return () => read(parameters) as Row[];
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
