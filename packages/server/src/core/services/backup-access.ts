// Backups that a caller may see, and their signed download links.
import type { Caller } from '../domain/access.ts';
import type { Backup } from '../domain/backup.ts';
import { fail, nullOn } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import type { Signer } from '../lib/signer.ts';
import type { BackupRecords } from '../store/backup-records.ts';
import type { Authenticator } from './authenticator.ts';
import type { BotsService } from './bots.ts';

const linkSeconds = 15 * 60;

/** A backup with a download link, valid for 15 minutes while the session of its reader lasts. */
export interface BackupView {
  backup: Backup;
  downloadUrl: string;
}

/** What a link says besides the backup: seconds since the epoch, the reader's session. */
export interface BackupLink {
  expires: string;
  session: string;
  signature: string;
}

interface Deps {
  bots: Pick<BotsService, 'own'>;
  records: Pick<BackupRecords, 'find'>;
  authenticator: Pick<Authenticator, 'callerOfSession'>;
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

  view(caller: Caller, backup: Backup): BackupView {
    const { signer, clock, publicUrl } = this.#deps;
    const expires = String(Math.floor(clock.now() / 1000) + linkSeconds);
    const session = caller.sessionId;
    const signature = signer.sign(signedText(backup.id, { expires, session }));
    const path = `/backups/${backup.id}/download?expires=${expires}&session=${session}&signature=${signature}`;
    return { backup, downloadUrl: publicUrl.replace(/\/$/, '') + path };
  }

  /** The backup of a link; fails unless it is genuine and neither it nor its session ended. */
  async ofLink(backupId: string, link: BackupLink): Promise<Backup> {
    const { signer, clock, authenticator } = this.#deps;
    if (!signer.isRight(signedText(backupId, link), link.signature)) throw fail.invalidSignature();
    if (!(Number(link.expires) * 1000 > clock.now())) throw fail.invalidSignature();
    const caller = await authenticator.callerOfSession(link.session);
    if (!caller) throw fail.invalidSignature();
    return this.own(caller, backupId);
  }

  /** Whether the session of the link lasts. */
  async isValid({ session }: BackupLink): Promise<boolean> {
    return (await this.#deps.authenticator.callerOfSession(session)) !== null;
  }
}

function signedText(backupId: string, { expires, session }: Omit<BackupLink, 'signature'>): string {
  return `${backupId} ${expires} ${session}`;
}
