// Creates a password reset link for a user. Shown once, to be passed on.
import type { PasswordCodeData, UserOfAdminData } from '@botel/contract/admin';
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/calls.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { errorText } from '../../kit/states.tsx';
import { copyText } from '../../lib/copy-text.ts';
import { t } from '../../texts/text.ts';

export function ResetDialog({ user, onClose }: { user: UserOfAdminData; onClose: () => void }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [link, setLink] = useState<string | null>(null);
  const make = async () => {
    setBusy(true);
    setError(null);
    try {
      const { data } = await call<PasswordCodeData>('POST', '/admin/users/reset', { user_id: user.id });
      setLink(`${location.origin}/dashboard/reset#${data.code}`);
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('admin.reset_title', { name: user.email })}
      lead={t(link ? 'admin.reset_made' : 'admin.reset_lead')}
    >
      <div className="grid gap-4">
        {link && <LinkField link={link} />}
        {error !== null && (
          <p role="alert" className="text-sm text-bad">
            {errorText(error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t(link ? 'action.close' : 'action.cancel')}</Button>
          {!link && (
            <Button variant="primary" busy={busy} onClick={() => void make()}>
              {t('admin.reset_make')}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function LinkField({ link }: { link: string }) {
  const [isCopied, setCopied] = useState(false);
  const Icon = isCopied ? Check : Copy;
  return (
    <div className="grid gap-2">
      <Field label={t('admin.reset_link')}>
        <TextInput readOnly value={link} className="font-mono" onFocus={(event) => event.target.select()} />
      </Field>
      <div>
        <Button icon={<Icon className="size-4" aria-hidden />} onClick={() => void copyText(link).then(setCopied)}>
          {t(isCopied ? 'action.copied' : 'action.copy')}
        </Button>
      </div>
    </div>
  );
}
