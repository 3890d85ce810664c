// What is known of a periodic task since its process began. Times are ms since the epoch.
export interface TaskStatus {
  name: string;
  periodMs: number;
  /** The newest run that is over. */
  lastRun: { startedAt: number; durationMs: number } | null;
  /** Kept when later runs succeed. */
  lastError: { at: number; message: string } | null;
}
