// The agent's routes; the api forwards them. Names are the operationIds of the API description.
import type { RouteTable } from '../../core/http/app.ts';
import type { AgentServices } from '../services/agent-services.ts';
import { readCheckup } from './admin/doctor.ts';
import { deleteBackup } from './backups/delete.ts';
import { downloadBackup } from './backups/download.ts';
import { restoreBackup } from './backups/restore.ts';
import { createBackup } from './bots/backups/create.ts';
import { createBotFromBackup } from './bots/create-from-backup.ts';
import { compressFiles } from './bots/files/compress.ts';
import { readFileContent } from './bots/files/content-read.ts';
import { writeFileContent } from './bots/files/content-write.ts';
import { copyFile } from './bots/files/copy.ts';
import { deleteFiles } from './bots/files/delete.ts';
import { downloadFiles } from './bots/files/download.ts';
import { extractFiles } from './bots/files/extract.ts';
import { listFiles } from './bots/files/list.ts';
import { makeFolder } from './bots/files/mkdir.ts';
import { moveFile } from './bots/files/move.ts';
import { applyTemplate } from './bots/files/template.ts';
import { uploadFiles } from './bots/files/upload.ts';

export const agentRoutes = {
  deleteBackup,
  downloadBackup,
  restoreBackup,
  createBackup,
  createBotFromBackup,
  readFileContent,
  compressFiles,
  writeFileContent,
  copyFile,
  deleteFiles,
  downloadFiles,
  extractFiles,
  listFiles,
  makeFolder,
  moveFile,
  applyTemplate,
  uploadFiles,
  readCheckup,
} satisfies RouteTable<AgentServices>;
