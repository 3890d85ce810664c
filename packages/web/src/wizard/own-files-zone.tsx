// Where the user drops or chooses files: a folder, files or an archive. Lists what is uploaded.
import { FileUp, FolderUp } from 'lucide-react';
import { type ChangeEvent, type DragEvent, useRef, useState } from 'react';
import type { Drop } from '../files/drop-filter.ts';
import { readChosen, readDrop, TooManyFiles } from '../files/read-drop.ts';
import { Button } from '../kit/button.tsx';
import { classes } from '../lib/classes.ts';
import { formatBytes } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { type OwnFiles, takeOwn } from './own-files.ts';

interface OwnFilesZoneProps {
  title: string;
  files: OwnFiles | null;
  onFiles: (files: OwnFiles) => void;
}

export function OwnFilesZone({ title, files, onFiles }: OwnFilesZoneProps) {
  const [isOver, setOver] = useState(false);
  const [isReading, setReading] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const fileInput = useRef<HTMLInputElement>(null);
  const take = async (drop: Promise<Drop>) => {
    setReading(true);
    setFault(null);
    try {
      const own = await takeOwn(await drop);
      if (own) onFiles(own);
      else setFault(t('files.drop_none'));
    } catch (error) {
      setFault(
        error instanceof TooManyFiles ? t('files.drop_too_many', { max: error.max }) : t('files.drop_unreadable'),
      );
    }
    setReading(false);
  };
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    if (target.files && target.files.length > 0) void take(Promise.try(readChosen, target.files));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(readDrop(event.dataTransfer.items));
  };
  return (
    <section
      aria-label={title}
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
      <p className="font-medium">{title}</p>
      {files ? <FilesSummary files={files} /> : <p className="max-w-prose text-sm text-muted">{t('new.own_lead')}</p>}
      <p role="status" className={classes('text-sm', !isReading && 'hidden')}>
        {isReading && t('files.drop_reading')}
      </p>
      <p role="alert" className={classes('text-sm text-bad', !fault && 'hidden')}>
        {fault}
      </p>
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

const maxNames = 6;

function FilesSummary({ files: { files, skipped, archive, dotEnv, config } }: { files: OwnFiles }) {
  const language = shownLanguage.get();
  if (archive)
    return (
      <p className="text-sm">{t('new.archive', { name: archive.name, size: formatBytes(archive.size, language) })}</p>
    );
  const size = formatBytes(
    files.reduce((sum, each) => sum + each.size, 0),
    language,
  );
  const names = files.slice(0, maxNames).map(({ path }) => path);
  return (
    <div className="grid gap-1 text-sm">
      <p>{t('new.files', { count: files.length, size })}</p>
      {skipped.size > 0 && <p className="text-muted">{t('new.skipped', { names: [...skipped.keys()].join(', ') })}</p>}
      {dotEnv !== null && <p className="text-muted">{t('new.env_taken')}</p>}
      {config && <p className="text-muted">{t('new.config_read', { file: config.file })}</p>}
      <p className="font-mono text-xs text-muted">
        {names.join(' · ')}
        {files.length > maxNames && ' …'}
      </p>
    </div>
  );
}
