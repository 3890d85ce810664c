// Backups that a caller may see, and their signed download links.
import type { Caller } from '../domain/access.ts';
import type { Backup } from '../domain/backup.ts';
import { fail, nullOn } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import type { Signer } from '../lib/signer.ts';
import type { BackupRecords } from '../store/backup-records.ts';
import type { BotsService } from './bots.ts';

const linkSeconds = 15 * 60;

/** A backup with a download link that is valid for 15 minutes. */
export interface BackupView {
  backup: Backup;
  downloadUrl: string;
}

interface Deps {
  bots: Pick<BotsService, 'own'>;
  records: Pick<BackupRecords, 'find'>;
  signer: Signer;
  clock: Clock;
  /** URL of this server for clients, '' = unknown: links then start at the path. */
  publicUrl: string;
}

export class BackupAccess {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The backup of a bot of the caller; malformed, unknown and other owners' ids fail alike. */
  async own(caller: Caller, backupId: string): Promise<Backup> {
    const backup = isUuid(backupId) ? await this.#deps.records.find(backupId.toLowerCase()) : null;
    const bot = backup && (await nullOn('bot_not_found', this.#deps.bots.own(caller, backup.botId)));
    if (!bot) throw fail.backupNotFound();
    return backup;
  }

  view(backup: Backup): BackupView {
    const { signer, clock, publicUrl } = this.#deps;
    const expires = String(Math.floor(clock.now() / 1000) + linkSeconds);
    const signature = signer.sign(signedText(backup.id, expires));
    const path = `/backups/${backup.id}/download?expires=${expires}&signature=${signature}`;
    return { backup, downloadUrl: publicUrl.replace(/\/$/, '') + path };
  }

  /** The backup of a link; fails unless the signature is valid and the link has not expired. */
  async ofLink(backupId: string, link: { expires: string; signature: string }): Promise<Backup> {
    const { signer, clock, records } = this.#deps;
    if (!signer.isRight(signedText(backupId, link.expires), link.signature)) throw fail.invalidSignature();
    if (!(Number(link.expires) * 1000 > clock.now())) throw fail.invalidSignature();
    const backup = await records.find(backupId);
    if (!backup) throw fail.backupNotFound();
    return backup;
  }
}

function signedText(backupId: string, expires: string): string {
  return `${backupId} ${expires}`;
}
