// The command palette: search bots, pages and actions.
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useState } from 'react';
import { botsQuery, meQuery } from '../api/queries.ts';
import { act } from '../bots/act.ts';
import { actionsOf } from '../bots/lifecycle.ts';
import { Dialog } from '../kit/dialog.tsx';
import { TextInput } from '../kit/field.tsx';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';
import { mainPagesOf } from './main-pages.ts';

interface Command {
  id: string;
  label: string;
  run: () => void;
}

const maxShown = 12;

/** Whether the label contains all words of the query, in any order. */
function matches(label: string, query: string): boolean {
  const lowered = label.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lowered.includes(word));
}

function useCommands(): Command[] {
  const { data } = useQuery(botsQuery);
  const { data: me } = useQuery(meQuery);
  const navigate = useNavigate();
  const pages: Command[] = [
    ...mainPagesOf(me).map(({ id, to, label }) => ({ id, label: t(label), run: () => void navigate({ to }) })),
    { id: 'new', label: t('bots.new'), run: () => void navigate({ to: '/new' }) },
  ];
  const bots = (data?.bots ?? []).flatMap((bot): Command[] => [
    {
      id: bot.id,
      label: t('palette.open', { name: bot.name }),
      run: () => void navigate({ to: '/bots/$botId', params: { botId: bot.id } }),
    },
    ...actionsOf(bot)
      .filter(({ why, verb }) => !why && verb !== 'kill')
      .map(({ verb, label }) => ({
        id: bot.id + verb,
        label: t('bots.action_of', { action: t(label), name: bot.name }),
        run: () => void act(verb, bot.id),
      })),
  ]);
  return [...pages, ...bots];
}

export function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState('');
  const [place, setPlace] = useState(0);
  const listId = useId();
  const found = useCommands()
    .filter(({ label }) => matches(label, query.trim()))
    .slice(0, maxShown);
  const chosen = found[Math.min(place, found.length - 1)];
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setPlace((place + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') run(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog open onOpenChange={onClose} title={t('palette.label')} className="max-w-lg!">
      <TextInput
        role="combobox"
        aria-label={t('palette.label')}
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={chosen && `${listId}-${chosen.id}`}
        placeholder={t('palette.placeholder')}
        autoComplete="off"
        value={query}
        onKeyDown={press}
        onChange={(event) => {
          setQuery(event.target.value);
          setPlace(0);
        }}
      />
      <div id={listId} role="listbox" aria-label={t('palette.label')} className="mt-3 grid gap-0.5">
        {found.map((command) => (
          <div
            key={command.id}
            id={`${listId}-${command.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={command === chosen}
            onClick={() => run(command)}
            onKeyDown={press}
            className={classes(
              'cursor-pointer rounded-lg px-3 py-2 text-sm hover:bg-sunken',
              command === chosen && 'bg-accent-soft text-accent',
            )}
          >
            {command.label}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="px-3 text-sm text-muted">{t('palette.empty', { query })}</p>}
    </Dialog>
  );
}
