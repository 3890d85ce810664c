// The services that the agent's routes may call. Type only: compose.ts creates them.
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
