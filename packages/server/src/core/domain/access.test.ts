// Scopes of callers, and the error for a missing one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, requireScope } from './access.ts';
import { BotelError } from './errors.ts';

const user: Caller = { userId: 'u', sessionId: 's', role: 'user' };

test('a scope that is not held is refused by its name', () => {
  requireScope(user, 'backups.restore');
  requireScope({ ...user, role: 'admin' }, 'admin');
  assert.throws(
    () => requireScope(user, 'admin'),
    (error) =>
      error instanceof BotelError &&
      error.code === 'missing_permission' &&
      error.message === 'Missing permission: admin',
  );
});
