// The services that routes of the agent may call. Type only: compose.ts makes them.
import type { BackupsService } from './backups.ts';
import type { CheckupsService } from './checkups.ts';
import type { FilesService } from './files.ts';
import type { RestoresService } from './restores.ts';
import type { TemplatesService } from './templates.ts';

export interface AgentServices {
  backups: BackupsService;
  checkups: CheckupsService;
  files: FilesService;
  restores: RestoresService;
  templates: TemplatesService;
}
