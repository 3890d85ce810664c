// Block 1 of the wizard: a template or the user's own files.
import type { TemplateData } from '@botel/contract/templates';
import { useQuery } from '@tanstack/react-query';
import { templatesQuery } from '../api/queries.ts';
import { Card } from '../kit/card.tsx';
import { ErrorCard, Skeleton } from '../kit/states.tsx';
import { classes } from '../lib/classes.ts';
import { shownLanguage, t } from '../texts/text.ts';
import type { OwnFiles } from './own-files.ts';
import { OwnFilesZone } from './own-files-zone.tsx';

interface SourceBlockProps {
  template: TemplateData | null;
  files: OwnFiles | null;
  onTemplate: (template: TemplateData) => void;
  onFiles: (files: OwnFiles) => void;
}

export function SourceBlock({ template, files, onTemplate, onFiles }: SourceBlockProps) {
  const { data, error, refetch } = useQuery(templatesQuery);
  const choice = { chosen: template?.id, onChoose: onTemplate };
  return (
    <Card title={t('new.source')} lead={t('new.source_lead')}>
      {error && <ErrorCard error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} height="5rem" />}
      {data && (
        <fieldset className="grid gap-4">
          <legend className="sr-only">{t('new.source')}</legend>
          <Templates title={t('new.at_once')} templates={data.filter((each) => !needsSecrets(each))} {...choice} />
          <Templates title={t('new.with_token')} templates={data.filter(needsSecrets)} {...choice} />
        </fieldset>
      )}
      <OwnFilesZone title={t('new.own')} files={files} onFiles={onFiles} />
    </Card>
  );
}

function needsSecrets({ secrets }: TemplateData): boolean {
  return secrets.length > 0;
}

interface TemplatesProps {
  title: string;
  templates: TemplateData[];
  chosen: string | undefined;
  onChoose: (template: TemplateData) => void;
}

function Templates({ title, templates, chosen, onChoose }: TemplatesProps) {
  return (
    <div>
      <p className="mb-2 text-sm font-medium text-muted">{title}</p>
      <div className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
        {templates.map((each) => (
          <label
            key={each.id}
            className={classes(
              'grid cursor-pointer content-start gap-1 rounded-xl p-3 ring-1 ring-inset has-focus-visible:outline-2 has-focus-visible:outline-accent',
              each.id === chosen ? 'bg-accent-soft ring-accent' : 'ring-line hover:bg-sunken',
            )}
          >
            <span className="flex items-center gap-2 font-medium">
              <input
                type="radio"
                name="template"
                className="size-4 accent-accent"
                checked={each.id === chosen}
                onChange={() => onChoose(each)}
              />
              {each.name}
              <span className="ms-auto text-xs font-normal text-brass">{t(`language.${each.language}`)}</span>
            </span>
            <span className="text-sm text-muted">{each.translations[shownLanguage.get()] ?? each.description}</span>
            {each.id === chosen && <span className="font-mono text-xs text-muted">{each.files.join(' · ')}</span>}
          </label>
        ))}
      </div>
    </div>
  );
}
