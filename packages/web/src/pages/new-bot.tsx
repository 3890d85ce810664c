// The create wizard: one page with three blocks, then the console of the new bot. If a step fails,
// the next try continues with the same bot.
import type { TemplateData } from '@botel/contract/templates';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { templatesQuery, usageQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { type EnvRow, paste } from '../env/env-draft.ts';
import { Button } from '../kit/button.tsx';
import { PageHead } from '../kit/card.tsx';
import { usePageTitle } from '../kit/page-title.ts';
import { ErrorCard, errorText, Skeleton } from '../kit/states.tsx';
import { isApiError } from '../lib/api-error.ts';
import { formatPercent } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { DetailsBlock } from '../wizard/details-block.tsx';
import { type Draft, emptyDraft, sourceOf, withFiles, withTemplate } from '../wizard/draft.ts';
import { forgetHandedOver, handedOver } from '../wizard/handed-over.ts';
import { makeBot, type Progress, type Step } from '../wizard/make-bot.ts';
import type { OwnFiles } from '../wizard/own-files.ts';
import { SourceBlock } from '../wizard/source-block.tsx';
import { rowsForTemplate } from '../wizard/template-rows.ts';
import { VariableRows } from '../wizard/variable-rows.tsx';

/** The current step and the upload progress. */
interface Doing {
  step: Step;
  part: number | null;
}

export function NewBotPage() {
  usePageTitle(t('bots.new'));
  const { template: id } = useSearch({ from: '/shell/new' });
  const { data: templates, error } = useQuery({ ...templatesQuery, enabled: id !== undefined });
  useEffect(forgetHandedOver, []);
  const template = templates?.find((each) => each.id === id) ?? null;
  const isLoading = id !== undefined && !templates && !error;
  return (
    <div className="mx-auto max-w-4xl">
      <PageHead title={t('bots.new')} lead={t('new.lead')} />
      {isLoading ? <Skeleton rows={4} /> : <Wizard begin={template} brought={handedOver()} />}
    </div>
  );
}

/** `begin` and `brought` are what the page was opened with. */
function Wizard({ begin, brought }: { begin: TemplateData | null; brought: OwnFiles | null }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState<Draft>(() => {
    if (brought) return withFiles(emptyDraft, brought);
    return begin ? withTemplate(emptyDraft, begin) : emptyDraft;
  });
  const [rows, setRows] = useState<EnvRow[]>(() => rowsFor([], null, brought ?? begin));
  const [doing, setDoing] = useState<Doing | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [progress, setProgress] = useState<Progress>({ botId: null, input: null, source: null });
  const { data: usage } = useQuery(usageQuery);
  const source = sourceOf(draft);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!source || doing) return;
    setError(null);
    const environment = Object.fromEntries(
      rows.filter(({ key }) => key !== '').map(({ key, value }) => [key, value ?? '']),
    );
    const { name, language, memory, command } = draft;
    const input = { name, language, memory, startup_command: command, environment };
    try {
      const made = await makeBot(input, source, progress, (step, reached, part) => {
        setDoing({ step, part });
        setProgress(reached);
      });
      void queryClient.invalidateQueries();
      void navigate({ to: '/bots/$botId', params: { botId: made } });
    } catch (caught) {
      setError(caught);
      setDoing(null);
      // The remaining memory may have changed.
      void queryClient.invalidateQueries({ queryKey: usageQuery.queryKey });
    }
  };
  const isMemoryFault = isApiError(error) && error.code === 'insufficient_memory';
  const { botId, input } = progress;
  return (
    <form className="grid grid-cols-1 gap-4" onSubmit={(event) => void submit(event)}>
      <SourceBlock
        template={draft.template}
        files={draft.files}
        onTemplate={(template) => {
          setDraft(withTemplate(draft, template));
          setRows(rowsFor(rows, draft.template, template));
        }}
        onFiles={(files) => {
          setDraft(withFiles(draft, files));
          setRows(rowsFor(rows, draft.template, files));
        }}
      />
      <DetailsBlock
        draft={draft}
        change={(fields) => setDraft((old) => ({ ...old, ...fields }))}
        availableMb={(usage?.memory.available_mb ?? draft.memory) + (input?.memory ?? 0)}
        memoryFault={isMemoryFault ? errorText(error) : null}
        botId={botId}
      />
      <VariableRows rows={rows} secrets={draft.template?.secrets ?? []} onChange={setRows} />
      {error !== null && !isMemoryFault && <ErrorCard error={error} />}
      {error !== null && botId && input && (
        <p role="status">
          {t('new.kept')}{' '}
          <Link to="/bots/$botId" params={{ botId }} className="text-accent underline underline-offset-4">
            {input.name}
          </Link>
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          variant="primary"
          className="h-10"
          busy={doing !== null}
          why={source ? null : t('new.source_missing')}
        >
          {t(botId && !doing ? 'new.go_on' : 'new.submit')}
        </Button>
        <StepLine doing={doing} />
      </div>
    </form>
  );
}

function StepLine({ doing }: { doing: Doing | null }) {
  const part = doing?.part ?? null;
  return (
    <div className="flex min-w-40 grow flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
      <span role="status">{doing && t(`new.step.${doing.step}`)}</span>
      {part !== null && (
        <>
          <progress className="h-2 w-40 accent-accent" value={part} aria-label={t('new.sent')} />
          <span className="tabular-nums">{formatPercent(part * 100, shownLanguage.get())}</span>
        </>
      )}
    </div>
  );
}

/**
 * The variables for what was chosen: those that a template needs, those of a `.env` among files.
 */
function rowsFor(rows: EnvRow[], old: TemplateData | null, next: TemplateData | OwnFiles | null): EnvRow[] {
  if (next && 'pack' in next) {
    const kept = rowsForTemplate(rows, old, null);
    return next.dotEnv === null ? kept : paste(kept, next.dotEnv);
  }
  return rowsForTemplate(rows, old, next);
}
