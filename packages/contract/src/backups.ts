// Backups of a bot: what a client sends and what it gets.
import { z } from 'zod';
import { bool, plainText, uuid } from './input.ts';
import { backupTriggers } from './vocabulary.ts';

export const createBackupBody = z.object({ name: plainText(2, 64) });

export const backupIdBody = z.object({ backup_id: uuid() });

export const lockBackupBody = z.object({
  backup_id: uuid(),
  locked: z.boolean({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be true or false') }),
});

/** With `safety_backup` the present state becomes a backup first. */
export const restoreBackupBody = z.object({
  backup_id: uuid(),
  safety_backup: bool()
    .optional()
    .transform((value) => value ?? true),
});

/** What a `download_url` says; anything else is no right signature. */
export const backupLinkQuery = z.object({
  expires: z.string().max(20).optional().catch(undefined),
  session: z.string().max(36).optional().catch(undefined),
  signature: z.string().max(100).optional().catch(undefined),
});

/**
 * `download_url` holds for 15 minutes, but not longer than the session; it begins at the path where
 * the server does not know its own address.
 */
export const backup = z.strictObject({
  id: z.string(),
  name: z.string(),
  size_bytes: z.number(),
  size_display: z.string(),
  download_url: z.string(),
  created_at: z.string(),
  can_delete: z.boolean(),
  locked: z.boolean(),
  sha256: z.string(),
  trigger: z.enum(backupTriggers),
});

export const backupList = z.strictObject({
  bot_id: z.string(),
  count: z.number(),
  max: z.number(),
  backups: z.array(backup),
});

export type BackupData = z.infer<typeof backup>;
export type BackupListData = z.infer<typeof backupList>;
