// Status of a periodic task since its process began. Times are ms since the epoch.
export interface TaskStatus {
  name: string;
  periodMs: number;
  /** The newest finished run. */
  lastRun: { startedAt: number; durationMs: number } | null;
  /** Kept when later runs succeed. */
  lastError: { at: number; message: string } | null;
}
