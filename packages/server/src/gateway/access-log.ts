// What the gateway reports about each request that belongs to an app.
import type { Access } from '../core/domain/app-access.ts';

export interface AccessLog {
  /** Called for every finished request; must be quick and must not throw. */
  note(access: Access): void;
}

export const noAccessLog: AccessLog = { note() {} };
