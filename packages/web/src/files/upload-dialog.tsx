// Confirms an upload: what is sent and skipped, what already exists, and the progress.
import type { FileListData } from '@botel/contract/files';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../api/calls.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { CheckBox, Field, Select } from '../kit/field.tsx';
import { errorText } from '../kit/states.tsx';
import { toastSuccess } from '../kit/toast.tsx';
import { formatBytes, formatPercent } from '../lib/format.ts';
import { shownLanguage, t } from '../texts/text.ts';
import { countAll, type Drop, type DroppedFile } from './drop-filter.ts';
import { joinPath } from './file-kinds.ts';
import { listFolder, uploadAddress } from './files-api.ts';
import { TooManyFiles } from './read-drop.ts';
import { sendUpload } from './send-upload.ts';
import { finishDeletes } from './undo-delete.ts';
import {
  dotEnvOf,
  findConflicts,
  findTokens,
  isOneZip,
  namedFiles,
  type OnConflict,
  settleConflicts,
  topFolderOf,
  type UploadChoices,
  variablesOf,
} from './upload-plan.ts';
import { zipFiles } from './zip-files.ts';

interface UploadProps {
  /** One per upload. */
  id: number;
  botId: string;
  /** The target folder. */
  folder: string;
  drop: Promise<Drop>;
  /** The user already chose to unpack the zip. */
  unpacks: boolean;
  onDone: () => void;
  onClose: () => void;
}

export function UploadDialog(props: UploadProps) {
  const { id, folder, drop, onClose } = props;
  const { data, error } = useQuery({ queryKey: ['drop', id], queryFn: () => drop, gcTime: 0, retry: false });
  const why = error instanceof TooManyFiles ? t('files.drop_too_many', { max: error.max }) : t('files.drop_unreadable');
  return (
    <Dialog open onOpenChange={onClose} title={t('files.drop_title', { folder: folder || t('files.home') })}>
      {error && <p role="alert">{why}</p>}
      {!error && !data && <p role="status">{t('files.drop_reading')}</p>}
      {data && data.files.length === 0 && <p>{t('files.drop_none')}</p>}
      {data && data.files.length > 0 && <Plan {...props} read={data} />}
    </Dialog>
  );
}

function Plan({ id, botId, folder, read: dropped, unpacks, onDone, onClose }: UploadProps & { read: Drop }) {
  const language = shownLanguage.get();
  const top = topFolderOf(dropped);
  const oneZip = isOneZip(dropped);
  const [choices, setChoices] = useState<UploadChoices>({
    dropsTop: top !== null,
    unpacks: oneZip && unpacks,
    onConflict: 'replace',
    takesEnv: true,
    mirror: false,
  });
  const [progress, setProgress] = useState<Progress>({ step: 'packing', part: 0 });
  const [stop] = useState(() => new AbortController());
  // Closing the dialog in any way aborts the upload.
  useEffect(() => () => stop.abort(), [stop]);
  const dotEnv = dotEnvOf(dropped, choices.dropsTop);
  const files = namedFiles(dropped, { ...choices, takesEnv: choices.takesEnv && dotEnv !== null });
  const { data: conflicts } = useQuery({
    queryKey: ['drop', id, 'conflicts', choices.dropsTop],
    queryFn: () => findConflicts(files, (each) => namesIn(botId, joinPath(folder, each).replace(/\/$/, ''))),
    gcTime: 0,
    enabled: !choices.unpacks,
  });
  const { data: tokens } = useQuery({ queryKey: ['drop', id, 'tokens'], queryFn: () => findTokens(files), gcTime: 0 });
  const upload = useMutation({
    async mutationFn() {
      await finishDeletes();
      if (dotEnv && choices.takesEnv) await takeVariables(botId, dotEnv);
      // A mirror deletes what it doesn't contain.
      const onConflict = choices.mirror ? 'replace' : choices.onConflict;
      const sent = settleConflicts(files, conflicts ?? new Set(), onConflict);
      if (sent.length === 0) return 0;
      const { signal } = stop;
      const tell = (step: Progress['step']) => (part: number) => setProgress({ step, part });
      const body = choices.unpacks ? sent[0]!.file : await zipFiles(sent, { onProgress: tell('packing'), signal });
      const address = uploadAddress(botId, folder, { extract: true, mirror: choices.mirror });
      await sendUpload({ address, body, onProgress: tell('sending'), signal });
      return sent.length;
    },
    onSuccess(count) {
      toastSuccess(t('files.drop_done', { count }));
      onDone();
      onClose();
    },
  });
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const size = formatBytes(bytes, language);
  const total = countAll(dropped);
  const skipped = [...dropped.skipped.keys()];
  return (
    <div className="grid gap-3">
      <p>
        {total === null || total === files.length
          ? t('files.drop_sum', { count: files.length, size })
          : t('files.drop_sum_of', { count: files.length, total, size })}
      </p>
      {skipped.length > 0 && (
        <p className="text-sm text-muted">{t('files.drop_skipped', { names: skipped.join(', ') })}</p>
      )}
      {tokens?.map((name) => (
        <p key={name} className="rounded-lg bg-warn-soft p-2 text-sm text-warn">
          {t('files.drop_token', { name })}
        </p>
      ))}
      <Choices
        choices={choices}
        change={(next) => setChoices({ ...choices, ...next })}
        top={top}
        isZip={oneZip}
        hasEnv={dotEnv !== null}
        conflictCount={conflicts?.size ?? 0}
      />
      {upload.isPending && <ProgressBar {...progress} />}
      {upload.error && (
        <p role="alert" className="text-bad">
          {errorText(upload.error)}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{t('action.cancel')}</Button>
        <Button variant="primary" busy={upload.isPending} onClick={() => upload.mutate()}>
          {t('files.drop_send')}
        </Button>
      </div>
    </div>
  );
}

interface Progress {
  step: 'packing' | 'sending';
  /** 0 to 1 */
  part: number;
}

function ProgressBar({ step, part }: Progress) {
  const percent = formatPercent(part * 100, shownLanguage.get());
  return (
    <div className="grid gap-1 text-sm">
      <p>{t(`files.drop_${step}`, { part: percent })}</p>
      <progress className="h-2 w-full accent-accent" value={part} aria-label={t('files.upload')} />
    </div>
  );
}

interface ChoicesProps {
  choices: UploadChoices;
  change: (next: Partial<UploadChoices>) => void;
  top: string | null;
  isZip: boolean;
  hasEnv: boolean;
  conflictCount: number;
}

function Choices({ choices, change, top, isZip, hasEnv, conflictCount }: ChoicesProps) {
  return (
    <>
      {isZip && (
        <Option label={t('files.drop_zip')} checked={choices.unpacks} onChange={(next) => change({ unpacks: next })} />
      )}
      {top !== null && (
        <Option
          label={t('files.drop_top', { name: top })}
          checked={choices.dropsTop}
          onChange={(next) => change({ dropsTop: next })}
        />
      )}
      {hasEnv && (
        <Field label={t('files.drop_env')}>
          <Select
            value={choices.takesEnv ? 'take' : 'keep'}
            onChange={(event) => change({ takesEnv: event.target.value === 'take' })}
          >
            <option value="take">{t('files.env_secrets')}</option>
            <option value="keep">{t('files.env_keep')}</option>
          </Select>
        </Field>
      )}
      {conflictCount > 0 && !choices.unpacks && !choices.mirror && (
        <Field label={t('files.drop_conflicts', { count: conflictCount })}>
          <Select
            value={choices.onConflict}
            onChange={(event) => change({ onConflict: event.target.value as OnConflict })}
          >
            <option value="replace">{t('files.conflict_replace')}</option>
            <option value="skip">{t('files.conflict_skip')}</option>
            <option value="both">{t('files.conflict_both')}</option>
          </Select>
        </Field>
      )}
      <Option label={t('files.drop_mirror')} checked={choices.mirror} onChange={(mirror) => change({ mirror })} />
    </>
  );
}

function Option({ label, checked, onChange }: { label: string; checked: boolean; onChange: (next: boolean) => void }) {
  return <CheckBox label={label} checked={checked} onChange={(event) => onChange(event.target.checked)} />;
}

/** Pages of a folder that are checked; files beyond them count as new. */
const maxPages = 20;

/** Empty if the folder doesn't exist. */
async function namesIn(botId: string, path: string): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  try {
    for (let page = 0; page < maxPages; page++) {
      const list: FileListData = await listFolder(botId, path, cursor);
      names.push(...list.entries.map((entry) => entry.name));
      cursor = list.next_cursor;
      if (cursor === null) break;
    }
    return names;
  } catch {
    return names;
  }
}

async function takeVariables(botId: string, dotEnv: DroppedFile): Promise<void> {
  const set = await variablesOf(dotEnv);
  await call('POST', '/bots/env/set', { bot_id: botId, set, unset: [] });
  toastSuccess(t('files.env_taken', { count: Object.keys(set).length }));
}
