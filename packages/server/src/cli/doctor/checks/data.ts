// The data folder: permissions, and the database in it.
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Check, type Finding, fix, ok } from '../check.ts';

export const data: Check = {
  name: 'data',
  async run({ dataDirectory }) {
    const exists = await stat(dataDirectory).catch(() => null);
    const findings: Finding[] = [];
    const writable = await access(exists ? dataDirectory : dirname(dataDirectory), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (!writable) return [fix(`${dataDirectory} is not writable`, 'Change its owner, or set BOTEL_DATA_DIR.')];
    findings.push(
      ok(exists ? `data folder ${dataDirectory}` : `the first start creates the data folder ${dataDirectory}`),
    );
    if (exists) findings.push(await checkDatabase(join(dataDirectory, 'botel.sqlite')));
    return findings;
  },
};

async function checkDatabase(path: string): Promise<Finding> {
  if (!(await stat(path).catch(() => null))) return ok('no database yet');
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const { quick_check: result } = database.prepare('pragma quick_check').get() as { quick_check: string };
      if (result !== 'ok') return fix(`the database is damaged: ${result}`, 'Restore botel.sqlite from a backup.');
      return ok('the database is intact');
    } finally {
      database.close();
    }
  } catch (error) {
    return fix(`cannot read the database: ${(error as Error).message}`, 'Restore botel.sqlite from a backup.');
  }
}
