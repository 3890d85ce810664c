// The table `bots`: settings and desired state. Publishes every committed change.
import { sql, type UpdateObject } from 'kysely';
import type { Bot, DesiredState } from '../domain/bot.ts';
import type { Reservation } from '../domain/quota.ts';
import { failpoint } from '../lib/failpoint.ts';
import { BotReader, environmentContext } from './bot-reader.ts';
import { type BotChange, settingColumns } from './bot-rows.ts';
import { toColumns } from './columns.ts';
import { insertEmptyObservation } from './observations.ts';
import type { Schema } from './schema.ts';

/** A bot to be inserted; the store assigns a uid unless one was reserved. */
export type NewBot = Pick<Bot, 'id' | 'ownerId' | 'language' | 'desired' | 'createdAt' | 'updatedAt'> &
  Required<Omit<BotChange, 'diskMb'>> & { uid?: number; environment: Record<string, string> };

type Settings = ReturnType<typeof settingColumns>;
type AllSettings = { [Column in keyof Settings]-?: Exclude<Settings[Column], undefined> };

/** Uid of the first bot. */
const firstUid = 100_001;

export class BotStore extends BotReader {
  /** Returns the stored bot with its uid. Call inside a transaction. */
  async insert(bot: NewBot): Promise<Bot> {
    const { id, ownerId, language, desired, createdAt, updatedAt } = bot;
    const uid = bot.uid ?? (await this.reserveUid());
    await this.db
      .insertInto('bots')
      .values({
        id,
        owner_id: ownerId,
        uid,
        language,
        ...(settingColumns(bot) as AllSettings),
        ...this.#environmentColumns(id, bot.environment),
        disk_mb: null,
        desired: desired.state,
        generation: desired.generation,
        wish_kill: 0,
        created_at: createdAt,
        updated_at: updatedAt,
      })
      .execute();
    await insertEmptyObservation(this.db, id);
    const stored = await this.find(id);
    if (!stored) throw new Error('A bot is missing right after its insert');
    return stored;
  }

  /** Returns a uid that no other bot had or will have. Call inside a transaction. */
  async reserveUid(): Promise<number> {
    const row = await this.db.selectFrom('settings').select('value').where('key', '=', 'last_uid').executeTakeFirst();
    const uid = row ? Number(row.value) + 1 : firstUid;
    await this.db
      .insertInto('settings')
      .values({ key: 'last_uid', value: String(uid) })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: String(uid) }))
      .execute();
    return uid;
  }

  /** Takes room in the owner's plan until `release`. Call in the transaction that checked it. */
  async reserve(reservation: Reservation, now: number): Promise<void> {
    await this.db
      .insertInto('reservations')
      .values(toColumns({ ...reservation, createdAt: now }))
      .execute();
  }

  /** Gives back the room reserved for a bot; null = for all bots. */
  async release(botId: string | null): Promise<void> {
    let reservations = this.db.deleteFrom('reservations');
    if (botId !== null) reservations = reservations.where('bot_id', '=', botId);
    await reservations.execute();
  }

  async setDesired(id: string, desired: DesiredState, now: number): Promise<void> {
    const { state, generation, kill, graceSeconds } = desired;
    await this.db
      .updateTable('bots')
      .set({
        desired: state,
        generation,
        wish_kill: kill ? 1 : 0,
        wish_grace_seconds: graceSeconds,
        updated_at: now,
      })
      .where('id', '=', id)
      .execute();
    await failpoint('desired.stored');
    this.database.onCommit(() => {
      void failpoint('desired.committed');
      this.desiredChanged.publish(id);
      this.changed.publish(id);
    });
  }

  /** Records a change that a running bot does not have yet. */
  touch(id: string, now: number): Promise<void> {
    return this.#update(id, { changed_at: now });
  }

  update(id: string, change: BotChange, now: number): Promise<void> {
    return this.#update(id, { ...settingColumns(change), changed_at: now, updated_at: now });
  }

  /** `suspension` null = lifted. */
  suspend(id: string, suspension: string | null, now: number): Promise<void> {
    return this.#update(id, { suspension, updated_at: now });
  }

  /** Forces a new build, at once or at the next start. */
  async forgetBuild(id: string, now: number): Promise<void> {
    await this.#update(id, { build_epoch: sql`build_epoch + 1`, updated_at: now });
    this.database.onCommit(() => this.desiredChanged.publish(id));
  }

  /** Replaces the bot's variables. */
  saveEnvironment(id: string, environment: Record<string, string>, now: number): Promise<void> {
    return this.#update(id, { ...this.#environmentColumns(id, environment), changed_at: now, updated_at: now });
  }

  #environmentColumns(id: string, environment: Record<string, string>) {
    return {
      environment: this.cipher.encrypt(JSON.stringify(environment), environmentContext(id)),
      environment_names: JSON.stringify(Object.keys(environment)),
    };
  }

  async #update(id: string, columns: UpdateObject<Schema, 'bots'>): Promise<void> {
    await this.db.updateTable('bots').set(columns).where('id', '=', id).execute();
    this.database.onCommit(() => this.changed.publish(id));
  }
}
