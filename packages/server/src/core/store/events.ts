// The table `events`: added in the transaction that makes it true, published when committed.
import type { EventType, Via } from '@botel/contract/vocabulary';
import type { Selectable } from 'kysely';
import type { Bot } from '../domain/bot.ts';
import type { Actor, BotEvent, NewEvent } from '../domain/event.ts';
import { Topic } from '../lib/topic.ts';
import { fromColumns } from './columns.ts';
import type { EventTable } from './schema.ts';
import { countOf, Store } from './store.ts';

/** Filter for an owner's events. */
export interface EventQuery {
  ownerId: string;
  botId?: string | undefined;
  type?: EventType | undefined;
}

/** Limit of `since`. */
const maxSince = 400;

const system: Actor = { kind: 'system', id: null, name: 'Botel' };

export class EventStore extends Store {
  /** Published when an event of this owner (key) was committed. */
  readonly added = new Topic();

  /** Call inside the transaction that makes the event true. `userId` null = Botel itself. */
  async add(
    bot: Pick<Bot, 'id' | 'ownerId'>,
    event: NewEvent,
    by: { at: number; userId: string | null; via?: Via | undefined },
  ): Promise<void> {
    await this.db
      .insertInto('events')
      .values({
        at: by.at,
        bot_id: bot.id,
        owner_id: bot.ownerId,
        type: event.type,
        actor: JSON.stringify(await this.#actor(by.userId, by.via)),
        message: event.message,
        detail: JSON.stringify(event.detail ?? {}),
      })
      .execute();
    this.database.onCommit(() => this.added.publish(bot.ownerId));
  }

  /**
   * Like `add`, but the same actor's repetitions since `from` (ms) are counted in the first event,
   * as `count` and `last_at`.
   */
  async addOrCount(
    bot: Pick<Bot, 'id' | 'ownerId'>,
    event: NewEvent,
    by: { at: number; userId: string | null; via?: Via | undefined },
    from: number,
  ): Promise<void> {
    const first = await this.db
      .selectFrom('events')
      .select(['id', 'detail'])
      .where('bot_id', '=', bot.id)
      .where('type', '=', event.type)
      .where('actor', '=', JSON.stringify(await this.#actor(by.userId, by.via)))
      .where('at', '>=', from)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (!first) return this.add(bot, event, by);
    const detail = JSON.parse(first.detail) as { count?: number };
    const counted = { ...detail, count: (detail.count ?? 1) + 1, last_at: new Date(by.at).toISOString() };
    await this.db
      .updateTable('events')
      .set({ detail: JSON.stringify(counted) })
      .where('id', '=', first.id)
      .execute();
  }

  /** Events before the id `before` (null = all), newest first. */
  async newest(query: EventQuery, before: number | null, limit: number): Promise<BotEvent[]> {
    let select = this.#matching(query).selectAll().orderBy('id', 'desc').limit(limit);
    if (before !== null) select = select.where('id', '<', before);
    return (await select.execute()).map(toEvent);
  }

  /** Events after the id `after`, oldest first. */
  async next(ownerId: string, after: number, limit: number): Promise<BotEvent[]> {
    const select = this.#matching({ ownerId }).selectAll().where('id', '>', after).orderBy('id').limit(limit);
    return (await select.execute()).map(toEvent);
  }

  /** The newest 400 events of a bot of these types from `from` (ms) on, oldest first. */
  async since<const T extends EventType>(botId: string, types: readonly T[], from: number) {
    const rows = await this.db
      .selectFrom('events')
      .select(['at', 'type'])
      .where('bot_id', '=', botId)
      .where('type', 'in', types)
      .where('at', '>=', from)
      .orderBy('id', 'desc')
      .limit(maxSince)
      .execute();
    return rows.map(({ at, type }) => ({ at, type: type as T })).toReversed();
  }

  /** Id of the newest event; 0 when there is none. */
  async lastId(): Promise<number> {
    const row = await this.db
      .selectFrom('events')
      .select((select) => select.fn.max<number | null>('id').as('id'))
      .executeTakeFirst();
    return row?.id ?? 0;
  }

  count(query: EventQuery): Promise<number> {
    return countOf(this.#matching(query));
  }

  /** Deletes events before `before` (ms), and the oldest beyond `maxPerOwner` and `max`. */
  async prune({ before, maxPerOwner, max }: { before: number; maxPerOwner: number; max: number }): Promise<void> {
    await this.db.deleteFrom('events').where('at', '<', before).execute();
    const owners = this.db.selectFrom('events').select('owner_id').groupBy('owner_id');
    const busy = await owners.having((having) => having.fn.countAll(), '>', maxPerOwner).execute();
    for (const { owner_id: ownerId } of busy) {
      const oldest = await this.#idAt(maxPerOwner, ownerId);
      await this.db.deleteFrom('events').where('owner_id', '=', ownerId).where('id', '<=', oldest).execute();
    }
    await this.db
      .deleteFrom('events')
      .where('id', '<=', await this.#idAt(max))
      .execute();
  }

  /** Id of the event that has `newer` newer ones, of an owner or of all; 0 when there is none. */
  async #idAt(newer: number, ownerId?: string): Promise<number> {
    let select = this.db.selectFrom('events').select('id').orderBy('id', 'desc').offset(newer).limit(1);
    if (ownerId !== undefined) select = select.where('owner_id', '=', ownerId);
    return (await select.executeTakeFirst())?.id ?? 0;
  }

  #matching({ ownerId, botId, type }: EventQuery) {
    let select = this.db.selectFrom('events').where('owner_id', '=', ownerId);
    if (botId !== undefined) select = select.where('bot_id', '=', botId);
    if (type !== undefined) select = select.where('type', '=', type);
    return select;
  }

  async #actor(userId: string | null, via: Via | undefined): Promise<Actor> {
    if (userId === null) return system;
    const user = await this.db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst();
    return { kind: 'user', id: userId, name: user?.email ?? '', ...(via && { via }) };
  }
}

function toEvent({ owner_id: _, ...row }: Selectable<EventTable>): BotEvent {
  return {
    ...fromColumns(row),
    actor: JSON.parse(row.actor) as Actor,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
  };
}
