// The draft of a bot's variables: loads values on demand, saves, and keeps edits when the bot
// changes meanwhile.
import type { BotData } from '@botel/contract/bots';
import { useState } from 'react';
import { call, read } from '../api/calls.ts';
import { act, showBot } from '../bots/act.ts';
import { withToast } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';
import {
  changesOf,
  type EnvChanges,
  type EnvRow,
  hasChanges,
  rawText,
  reveal,
  rowsOf,
  rowsOfRaw,
  type StoredEnvironment,
} from './env-draft.ts';

interface Answer {
  environment: Record<string, string>;
  needs_restart: boolean;
}

export interface Environment {
  stored: StoredEnvironment;
  rows: EnvRow[];
  setRows: (rows: EnvRow[]) => void;
  /** The text of the file view; null while rows are shown. */
  raw: string | null;
  setRaw: (text: string) => void;
  /** Changes the view; the file view loads the values. */
  show: (view: 'rows' | 'raw') => Promise<void>;
  changes: EnvChanges;
  isDirty: boolean;
  /** Resolves with the rows and their values, or null if loading failed. */
  loadValues: () => Promise<EnvRow[] | null>;
  discard: () => void;
  /** Resolves with whether it worked. */
  save: (restarts: boolean) => Promise<boolean>;
}

export function useEnvironment(bot: BotData): Environment {
  const [stored, setStored] = useState<StoredEnvironment>({ keys: bot.environment_keys, values: null });
  const [rows, setRows] = useState(() => rowsOf(stored));
  const [raw, setRawText] = useState<string | null>(null);
  const changes = changesOf(rows, stored);
  const isDirty = hasChanges(changes) || rows.some((row) => !row.stored);
  const take = (next: StoredEnvironment) => {
    setStored(next);
    setRows(rowsOf(next));
    setRawText(raw === null ? null : rawText(rowsOf(next)));
  };
  // Variables were changed elsewhere: edits here are kept until saved or discarded.
  if (!isDirty && bot.environment_keys.toSorted().join('\0') !== stored.keys.toSorted().join('\0'))
    take({ keys: bot.environment_keys, values: null });

  const loadValues = async (): Promise<EnvRow[] | null> => {
    if (stored.values) return rows;
    let shown: EnvRow[] | null = null;
    await withToast(async () => {
      const { environment } = await read<Answer>(`/bots/${bot.id}/env`);
      setStored({ keys: Object.keys(environment), values: environment });
      shown = reveal(rows, environment);
      setRows(shown);
    });
    return shown;
  };
  return {
    stored,
    rows,
    setRows,
    raw,
    setRaw: (text) => {
      setRawText(text);
      setRows(rowsOfRaw(text, stored));
    },
    async show(view) {
      if (view === 'rows') return setRawText(null);
      const shown = await loadValues();
      if (shown) setRawText(rawText(shown));
    },
    changes,
    isDirty,
    loadValues,
    discard: () => take(stored),
    async save(restarts) {
      const worked = await withToast(async () => {
        const { data } = raw === null ? await sendChanges(bot.id, changes) : await sendAll(bot.id, rows);
        take({ keys: Object.keys(data.environment), values: stored.values && data.environment });
        showBot(bot.id, { environment_keys: Object.keys(data.environment), needs_restart: data.needs_restart });
      }, t('env.saved'));
      if (worked && restarts) await act('restart', bot.id);
      return worked;
    },
  };
}

function sendChanges(botId: string, { set, unset }: EnvChanges) {
  return call<Answer>('POST', '/bots/env/set', { bot_id: botId, set, unset });
}

/** The text replaces everything, including changes made elsewhere. */
function sendAll(botId: string, rows: readonly EnvRow[]) {
  const kept = rows.filter((row) => !row.removed).map(({ key, value }) => [key, value ?? '']);
  return call<Answer>('PUT', `/bots/${botId}/env`, { environment: Object.fromEntries(kept) });
}
