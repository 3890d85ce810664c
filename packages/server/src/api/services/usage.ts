// A caller's plan and how much of it its bots use.
import type { UsageData } from '@botel/contract/accounts';
import type { Caller } from '../../core/domain/access.ts';
import { fail } from '../../core/domain/errors.ts';
import { availableMb, mebibyte, planDiskMb } from '../../core/domain/quota.ts';
import type { AccountStore } from '../../core/store/accounts.ts';
import type { AppStore } from '../../core/store/apps.ts';
import type { BackupRecords } from '../../core/store/backup-records.ts';
import type { BotReader } from '../../core/store/bot-reader.ts';

interface Deps {
  accounts: AccountStore;
  bots: BotReader;
  apps: AppStore;
  backups: Pick<BackupRecords, 'bytesOf'>;
  /** Bytes on disk below a bot's home. */
  usedBytes(botId: string): Promise<number>;
}

export class UsageService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async of(caller: Caller): Promise<UsageData> {
    const { accounts, bots, apps, backups } = this.#deps;
    const user = await accounts.findUser({ id: caller.userId });
    const plan = user && (await accounts.findPlan(user.planId));
    if (!plan) throw fail.unauthorized();
    const [reserved, own, appCount, backupBytes] = await Promise.all([
      bots.reserved(caller.userId),
      bots.list({ ownerId: caller.userId, sort: 'created' }),
      apps.count(caller.userId),
      backups.bytesOf(caller.userId),
    ]);
    let diskBytes = 0;
    for (const bot of own) diskBytes += await this.#deps.usedBytes(bot.id);
    return {
      memory: {
        limit_mb: plan.memoryMb,
        used_mb: reserved.memoryMb,
        available_mb: availableMb(plan.memoryMb, reserved.memoryMb),
      },
      bots: { limit: plan.bots, used: reserved.bots },
      disk: { limit_mb: planDiskMb(plan), used_mb: Math.ceil(diskBytes / mebibyte) },
      backups: { limit_mb: planDiskMb(plan), used_mb: Math.ceil(backupBytes / mebibyte) },
      apps: { limit: plan.apps, used: appCount },
      upload_limit_mb: plan.uploadMb,
    };
  }
}
