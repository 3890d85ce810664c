// Block 1 of the wizard: what a new bot begins with, one of ours or files of one's own.
import type { TemplateData } from '@botel/contract/templates';
import { useQuery } from '@tanstack/react-query';
import { FileUp, FolderUp } from 'lucide-react';
import { type ChangeEvent, type DragEvent, useRef, useState } from 'react';
import { templatesQuery } from '../api/queries.ts';
import { type Drop, type DroppedFile, filterDrop, withoutTopFolder } from '../files/drop-filter.ts';
import { Button } from '../kit/button.tsx';
import { Card } from '../kit/card.tsx';
import { ErrorCard, Skeleton } from '../kit/states.tsx';
import { classes } from '../lib/classes.ts';
import { formatBytes } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { readChosen, readDrop } from './dropped-entries.ts';
import { formatOf } from './make-bot.ts';

/** Files of one's own, ready to be sent; `folder` is the name that they came with. */
export interface OwnFiles extends Drop {
  archive: File | null;
  folder: string;
}

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
      <DropZone files={files} onFiles={onFiles} />
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

function DropZone({ files, onFiles }: { files: OwnFiles | null; onFiles: (files: OwnFiles) => void }) {
  const [isOver, setOver] = useState(false);
  const folderInput = useRef<HTMLInputElement>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  const take = (found: DroppedFile[]) => {
    const [only] = found;
    if (only === undefined) return;
    if (found.length === 1 && formatOf(only.path)) {
      return onFiles({ files: [], skipped: new Map(), archive: only.file, folder: only.path });
    }
    const folder = only.path.includes('/') ? (only.path.split('/')[0] ?? '') : '';
    onFiles({ ...filterDrop(withoutTopFolder(found)), archive: null, folder });
  };
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    if (target.files) take(readChosen(target.files));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void readDrop(event.dataTransfer.items).then(take);
  };
  return (
    <section
      aria-label={t('new.own')}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={classes(
        'mt-3 grid grid-cols-1 justify-items-center gap-3 rounded-xl border-2 border-dashed p-5 text-center',
        isOver || files ? 'border-accent bg-accent-soft' : 'border-line',
      )}
    >
      <p className="font-medium">{t('new.own')}</p>
      {files ? <FilesSummary files={files} /> : <p className="text-sm text-muted">{t('new.own_lead')}</p>}
      <div className="flex flex-wrap justify-center gap-2">
        <Button icon={<FolderUp className="size-4" aria-hidden />} onClick={() => folderInput.current?.click()}>
          {t('new.choose_folder')}
        </Button>
        <Button icon={<FileUp className="size-4" aria-hidden />} onClick={() => fileInput.current?.click()}>
          {t('new.choose_files')}
        </Button>
      </div>
      <input
        ref={(element) => {
          folderInput.current = element;
          element?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        hidden
        onChange={choose}
      />
      <input ref={fileInput} type="file" multiple hidden onChange={choose} />
    </section>
  );
}

const mostNames = 6;

function FilesSummary({ files: { files, skipped, archive } }: { files: OwnFiles }) {
  const language = shownLanguage.get();
  if (archive)
    return (
      <p className="text-sm">{t('new.archive', { name: archive.name, size: formatBytes(archive.size, language) })}</p>
    );
  const size = formatBytes(
    files.reduce((sum, { file }) => sum + file.size, 0),
    language,
  );
  const names = files.slice(0, mostNames).map(({ path }) => path);
  return (
    <div className="grid gap-1 text-sm">
      <p>{t('new.files', { count: files.length, size })}</p>
      {skipped.size > 0 && <p className="text-muted">{t('new.skipped', { names: [...skipped.keys()].join(', ') })}</p>}
      <p className="font-mono text-xs text-muted">
        {names.join(' · ')}
        {files.length > mostNames && ' …'}
      </p>
    </div>
  );
}
