// Changes the user's password, which ends all other sessions.
import { type FormEvent, useState } from 'react';
import { call } from '../../api/calls.ts';
import { queryClient } from '../../api/query-client.ts';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { errorText, explanationOf } from '../../kit/states.tsx';
import { toastSuccess } from '../../kit/toast.tsx';
import { isApiError } from '../../lib/api-error.ts';
import { PasswordField } from '../../shell/login-form.tsx';
import { t } from '../../texts/text.ts';
import { sessionsKey } from './sessions-card.tsx';

export function PasswordCard({ email }: { email: string }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const isOfCurrent = isApiError(error) && error.code === 'invalid_credentials';
  const text = isOfCurrent
    ? t('account.password_wrong')
    : error
      ? [errorText(error), explanationOf(error)].filter(Boolean).join('. ')
      : null;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await call('POST', '/auth/password', { current_password: current, new_password: next });
      setCurrent('');
      setNext('');
      toastSuccess(t('account.password_done'));
      void queryClient.invalidateQueries({ queryKey: sessionsKey });
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={t('login.password')} lead={t('account.password_lead')}>
      <form className="grid gap-4 sm:grid-cols-2" onSubmit={(event) => void submit(event)}>
        {/* For password managers: whose password it is. */}
        <input type="email" name="email" autoComplete="username" value={email} readOnly hidden />
        <PasswordField
          label={t('account.password_current')}
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          fault={isOfCurrent ? text : null}
        />
        <PasswordField
          label={t('account.password_new')}
          autoComplete="new-password"
          hint={t('setup.password_hint')}
          minLength={12}
          value={next}
          onChange={setNext}
          fault={isOfCurrent ? null : text}
        />
        <div>
          <Button type="submit" variant="primary" busy={busy}>
            {t('account.password_change')}
          </Button>
        </div>
      </form>
    </Card>
  );
}
