// Edits an app: its name, port and health check path.
import type { AppData } from '@botel/contract/apps';
import { type FormEvent, useState } from 'react';
import { call } from '../api/calls.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { withToast } from '../kit/toast.tsx';
import { t } from '../texts/text.ts';
import { AppFields, type AppFieldValues } from './app-fields.tsx';
import { SubdomainField } from './subdomain-field.tsx';

interface EditAppDialogProps {
  app: AppData;
  onChanged: () => void;
  onClose: () => void;
}

/** The URL of another app of this server, derived from that of one. */
function addressLike({ name, url }: AppData): string {
  return url.replace(`//${name}.`, '//*.');
}

export function EditAppDialog({ app, onChanged, onClose }: EditAppDialogProps) {
  const [name, setName] = useState(app.name);
  const [isFree, setFree] = useState(false);
  const [fields, setFields] = useState<AppFieldValues>({
    port: app.port === null ? '' : String(app.port),
    healthPath: app.health_path ?? '',
  });
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    const body = {
      app_id: app.id,
      port: Number(fields.port),
      health_path: fields.healthPath,
      ...(name !== app.name && { name }),
    };
    const isDone = await withToast(() => call('POST', '/apps/update', body));
    setBusy(false);
    onChanged();
    if (isDone) onClose();
  };
  return (
    <Dialog open onOpenChange={onClose} title={t('apps.change_of', { name: app.name })}>
      <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
        <SubdomainField value={name} address={addressLike(app)} own={app.name} onChange={setName} onState={setFree} />
        <AppFields {...fields} onChange={(change) => setFields({ ...fields, ...change })} />
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button
            type="submit"
            variant="primary"
            busy={busy}
            why={name === app.name || isFree ? null : t('apps.name_first')}
          >
            {t('action.save')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
