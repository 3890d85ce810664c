// Block 2 of the wizard: name, language, startup command with the reason for the guess, memory.

import { languages } from '@botel/contract/vocabulary';
import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../api/queries.ts';
import { Card } from '../kit/card.tsx';
import { Field, Select, TextInput } from '../kit/field.tsx';
import { t } from '../texts/text.ts';
import type { Draft } from './draft.ts';
import { MemoryField } from './memory-field.tsx';
import { NameField } from './name-field.tsx';

interface DetailsBlockProps {
  draft: Draft;
  change: (fields: Partial<Draft>) => void;
  availableMb: number;
  memoryFault: string | null;
  /** The bot already created. */
  botId: string | null;
}

export function DetailsBlock({ draft, change, availableMb, memoryFault, botId }: DetailsBlockProps) {
  const { data } = useQuery(botsQuery);
  const isTaken = data?.bots.some(({ id, name }) => name === draft.name && id !== botId);
  return (
    <Card title={t('new.details')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <NameField
          value={draft.name}
          hint={isTaken ? t('new.name_taken') : undefined}
          onChange={(name) => change({ name, isNamed: true })}
        />
        <Field label={t('bots.col_language')}>
          <Select
            value={draft.language}
            disabled={draft.template !== null}
            onChange={(event) => change({ language: event.target.value as Draft['language'] })}
          >
            {languages.map((language) => (
              <option key={language} value={language}>
                {t(`language.${language}`)}
              </option>
            ))}
          </Select>
        </Field>
        <Field
          label={t('new.command')}
          hint={
            draft.guess ? t(`new.command_why.${draft.guess.why}`, { file: draft.guess.because }) : t('new.command_hint')
          }
        >
          <TextInput
            required
            maxLength={2000}
            className="font-mono"
            autoComplete="off"
            spellCheck={false}
            value={draft.command}
            onChange={(event) => change({ command: event.target.value })}
          />
        </Field>
        <MemoryField
          value={draft.memory}
          onChange={(memory) => change({ memory })}
          availableMb={availableMb}
          fault={memoryFault}
        />
      </div>
    </Card>
  );
}
