// Puts the files of a template into a caller's bot.
import type { Caller } from '../../core/domain/access.ts';
import { fail } from '../../core/domain/errors.ts';
import type { TemplateFolder } from '../../core/services/template-folder.ts';
import type { BotsService } from '../../core/services/bots.ts';
import type { FilesService } from './files.ts';

interface Deps {
  bots: Pick<BotsService, 'own'>;
  files: Pick<FilesService, 'uploadFiles'>;
  folder: TemplateFolder;
}

export class TemplatesService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** All files or none: 409 when one exists already. Resolves to their number. */
  async apply(caller: Caller, botId: string, templateId: string, signal?: AbortSignal): Promise<number> {
    const { bots, files, folder } = this.#deps;
    const bot = await bots.own(caller, botId);
    const template = (await folder.list()).find(({ id }) => id === templateId);
    if (!template) throw fail.templateNotFound();
    const place = { path: '', lengthBytes: null, overwrite: false, mirror: false, signal };
    const { filesWritten } = await files.uploadFiles(caller, bot.id, { ...place, files: folder.files(template) });
    return filesWritten;
  }
}
