// What the gateway tells of each request that belongs to an app.
import type { Access } from '../core/domain/app-access.ts';

export interface AccessLog {
  /** Called for every request that is over; must be quick and must not throw. */
  note(access: Access): void;
}

export const noAccessLog: AccessLog = { note() {} };
