// The create wizard: one page, three blocks, then the console of the new bot. A step that fails keeps the bot and goes on.
import type { BotData } from '@botel/contract/bots';
import type { TemplateData } from '@botel/contract/templates';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { botsQuery, usageQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import type { EnvRow } from '../env/env-draft.ts';
import { Button } from '../kit/button.tsx';
import { Card, PageHead } from '../kit/card.tsx';
import { Field, Select, TextInput } from '../kit/field.tsx';
import { usePageTitle } from '../kit/page-title.ts';
import { ErrorCard, errorText } from '../kit/states.tsx';
import { isApiError } from '../lib/api-error.ts';
import { t } from '../texts/text.ts';
import { botName, detect, type Guess, nameFault } from '../wizard/detect.ts';
import { makeBot, type Progress, type Source, type Step } from '../wizard/make-bot.ts';
import { MemoryField } from '../wizard/memory-field.tsx';
import { type OwnFiles, SourceBlock } from '../wizard/source-block.tsx';
import { rowsForTemplate } from '../wizard/template-rows.ts';
import { VariableRows } from '../wizard/variable-rows.tsx';

const languages = ['nodejs', 'python', 'java', 'go', 'rust'] as const;
const usualMemory = 256;

interface Draft {
  template: TemplateData | null;
  files: OwnFiles | null;
  guess: Guess | null;
  name: string;
  language: BotData['language'];
  command: string;
  memory: number;
}

const emptyDraft: Draft = {
  template: null,
  files: null,
  guess: null,
  name: '',
  language: 'nodejs',
  command: '',
  memory: usualMemory,
};

function sourceOf({ template, files }: Draft): Source | null {
  if (template) return { kind: 'template', id: template.id };
  if (!files) return null;
  return files.archive ? { kind: 'archive', archive: files.archive } : { kind: 'files', files: files.files };
}

export function NewBotPage() {
  usePageTitle(t('bots.new'));
  const navigate = useNavigate();
  const [draft, setDraft] = useState(emptyDraft);
  const [rows, setRows] = useState<EnvRow[]>([]);
  const [step, setStep] = useState<Step | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [progress, setProgress] = useState<Progress>({ botId: null, hasFiles: false });
  const { data: usage } = useQuery(usageQuery);
  const change = (fields: Partial<Draft>) => setDraft((old) => ({ ...old, ...fields }));
  const source = sourceOf(draft);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!source || step) return;
    setError(null);
    const environment = Object.fromEntries(
      rows.filter(({ key }) => key !== '').map(({ key, value }) => [key, value ?? '']),
    );
    const { name, language, memory, command } = draft;
    const input = { name, language, memory, startup_command: command, environment };
    try {
      const made = await makeBot(input, source, progress, (begun, reached) => {
        setStep(begun);
        setProgress(reached);
      });
      void queryClient.invalidateQueries();
      void navigate({ to: '/bots/$botId', params: { botId: made } });
    } catch (caught) {
      setError(caught);
      setStep(null);
    }
  };
  const isMemoryFault = isApiError(error) && error.code === 'insufficient_memory';
  const { botId } = progress;
  return (
    <form className="mx-auto grid max-w-4xl grid-cols-1 gap-4" onSubmit={(event) => void submit(event)}>
      <PageHead title={t('bots.new')} lead={t('new.lead')} />
      <SourceBlock
        template={draft.template}
        files={draft.files}
        onTemplate={(template) => {
          change(ofTemplate(draft, template));
          setRows(rowsForTemplate(rows, draft.template, template));
        }}
        onFiles={(files) => {
          setRows(rowsForTemplate(rows, draft.template, null));
          void ofFiles(draft, files).then(change);
        }}
      />
      <Details
        draft={draft}
        change={change}
        availableMb={usage?.memory.available_mb ?? draft.memory}
        memoryFault={isMemoryFault ? errorText(error) : null}
      />
      <VariableRows rows={rows} secrets={draft.template?.secrets ?? []} onChange={setRows} />
      {error !== null && !isMemoryFault && <ErrorCard error={error} />}
      {error !== null && botId && (
        <p role="status">
          {t('new.kept')}{' '}
          <Link to="/bots/$botId" params={{ botId }} className="text-accent underline underline-offset-4">
            {draft.name}
          </Link>
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          look="primary"
          className="h-10"
          busy={step !== null}
          why={source ? null : t('new.source_missing')}
        >
          {t(botId && step === null ? 'new.go_on' : 'new.submit')}
        </Button>
        <span role="status" className="text-sm text-muted">
          {step && t(`new.step.${step}`)}
        </span>
      </div>
    </form>
  );
}

function ofTemplate(old: Draft, template: TemplateData): Partial<Draft> {
  const isOwnName = old.name !== '' && old.name !== old.template?.name;
  const { name, language, startup_command: command, memory } = template;
  return { template, files: null, guess: null, name: isOwnName ? old.name : name, language, command, memory };
}

async function ofFiles(old: Draft, files: OwnFiles): Promise<Partial<Draft>> {
  const manifest = files.files.find(({ path }) => path === 'package.json');
  const paths = files.files.map(({ path }) => path);
  const guess = detect(paths, manifest ? await manifest.file.text() : null);
  const isOwnName = old.name !== '' && old.name !== old.template?.name;
  return {
    template: null,
    files,
    guess,
    name: isOwnName ? old.name : (botName(files.folder) ?? old.name),
    ...(guess && { language: guess.language, command: guess.command }),
  };
}

interface DetailsProps {
  draft: Draft;
  change: (fields: Partial<Draft>) => void;
  availableMb: number;
  memoryFault: string | null;
}

function Details({ draft, change, availableMb, memoryFault }: DetailsProps) {
  const { data } = useQuery(botsQuery);
  const isTaken = data?.bots.some(({ name }) => name === draft.name);
  const fault = draft.name === '' ? null : nameFault(draft.name);
  return (
    <Card title={t('new.details')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={t('new.name')}
          hint={isTaken ? t('new.name_taken') : undefined}
          fault={fault && t(`new.name_${fault}`)}
        >
          <TextInput
            required
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
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
          hint={draft.guess ? t('new.command_why', { file: draft.guess.because }) : t('new.command_hint')}
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
