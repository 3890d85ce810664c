// The table `settings`: facts about this install. Operators' settings are in core/config/env.ts.
import { Topic } from '../lib/topic.ts';
import { Store } from './store.ts';

/** The engine's last state known to the reconciler. Times are ms since the epoch. */
export interface EngineState {
  available: boolean;
  /** Start of its current availability or unavailability. */
  since: number;
  checkedAt: number;
  /** Boot id of the machine at that time; a different one means that the machine restarted. */
  bootId: string;
}

export type SettingKey =
  | 'install_id'
  | 'secret_key_check'
  | 'setup_token_hash'
  | 'engine_state'
  | 'last_uid'
  | 'image_uses';

export class SettingStore extends Store {
  /** Published when the engine's state was saved; the key is ''. */
  readonly engineSeen = new Topic();
  #engine: EngineState | null | undefined;

  async get(key: SettingKey): Promise<string | null> {
    const row = await this.db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst();
    return row?.value ?? null;
  }

  async set(key: SettingKey, value: string): Promise<void> {
    await this.db
      .insertInto('settings')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
  }

  async remove(key: SettingKey): Promise<void> {
    await this.db.deleteFrom('settings').where('key', '=', key).execute();
  }

  /** Null before the first check. Cached, because every view of a bot reads it. */
  async engineState(): Promise<EngineState | null> {
    if (this.#engine === undefined) {
      const value = await this.get('engine_state');
      this.#engine = value === null ? null : (JSON.parse(value) as EngineState);
    }
    return this.#engine;
  }

  /** Drops the cached state after another process saved it. */
  forgetEngineState(): void {
    this.#engine = undefined;
  }

  async saveEngineState(state: EngineState): Promise<void> {
    this.#engine = state;
    await this.set('engine_state', JSON.stringify(state));
    this.database.onCommit(() => this.engineSeen.publish(''));
  }
}
