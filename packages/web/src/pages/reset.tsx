// Sets a new password with the code of a reset link (`/reset#<code>`, or typed).
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call } from '../api/calls.ts';
import { Button } from '../kit/button.tsx';
import { Field, TextInput } from '../kit/field.tsx';
import { errorText } from '../kit/states.tsx';
import { isApiError } from '../lib/api-error.ts';
import { takeFragment } from '../lib/take-fragment.ts';
import { PasswordField } from '../shell/login-form.tsx';
import { t } from '../texts/text.ts';
import { DoorFrame } from './login.tsx';

export function ResetPage() {
  const [given] = useState(takeFragment);
  const [code, setCode] = useState(given ?? '');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [isDone, setDone] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await call('POST', '/auth/reset', { code: code.trim(), new_password: password });
      setDone(true);
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const isBad = isApiError(error) && error.code === 'invite_invalid';
  const isOfPassword = isApiError(error) && error.field === 'new_password';
  const fault = isBad ? t('reset.bad') : error ? errorText(error) : null;
  const toLogin = (
    <Link to="/login" className="text-accent underline underline-offset-4">
      {t('login.title')}
    </Link>
  );
  return (
    <DoorFrame title={t('reset.title')} lead={t('reset.lead')}>
      {isDone ? (
        <div className="grid gap-3">
          <p role="status">{t('reset.done')}</p>
          {toLogin}
        </div>
      ) : (
        <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
          {!given && (
            <Field label={t('reset.code')} hint={t('reset.code_hint')}>
              <TextInput
                required
                autoComplete="off"
                spellCheck={false}
                value={code}
                onChange={(event) => setCode(event.target.value)}
              />
            </Field>
          )}
          <PasswordField
            label={t('account.password_new')}
            autoComplete="new-password"
            hint={t('setup.password_hint')}
            minLength={12}
            value={password}
            onChange={setPassword}
            fault={isOfPassword ? fault : null}
          />
          {fault && !isOfPassword && (
            <p role="alert" className="text-sm text-bad">
              {fault}
            </p>
          )}
          <Button type="submit" variant="primary" busy={busy} className="h-10">
            {t('reset.submit')}
          </Button>
          {toLogin}
        </form>
      )}
    </DoorFrame>
  );
}
