// First run: creates the first account with the server's one-time link, then checks the machine.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { call, read } from '../api/calls.ts';
import { Button } from '../kit/button.tsx';
import { Field, TextInput } from '../kit/field.tsx';
import { LinkButton } from '../kit/link-button.tsx';
import { errorText } from '../kit/states.tsx';
import { isApiError } from '../lib/api-error.ts';
import { takeFragment } from '../lib/take-fragment.ts';
import { Checkup } from '../machine/checkup.tsx';
import { LanguageField } from '../shell/language-field.tsx';
import { PasswordField } from '../shell/login-form.tsx';
import { t } from '../texts/text.ts';
import { DoorFrame } from './login.tsx';

const minPasswordLength = 12;
const sampleName = 'my-app';
/** It runs as it is, without a token. */
const firstTemplate = 'nodejs';

/** Survives a change of the language, which remounts the page. */
const kept = { token: null as string | null, email: '', password: '' };

export function SetupPage() {
  const [token] = useState(() => (kept.token = takeFragment() ?? kept.token));
  const [isMade, setMade] = useState(false);
  if (isMade)
    return (
      <DoorFrame title={t('setup.machine')} lead={t('setup.machine_lead')} isWide>
        <div className="grid gap-5">
          <Checkup />
          <LinkButton to="/new" search={{ template: firstTemplate }}>
            {t('setup.next')}
          </LinkButton>
        </div>
      </DoorFrame>
    );
  return (
    <DoorFrame title={t('setup.title')} lead={t('setup.lead')}>
      {token ? <FirstAccount token={token} onDone={() => setMade(true)} /> : <p>{t('setup.no_token')}</p>}
    </DoorFrame>
  );
}

function FirstAccount({ token, onDone }: { token: string; onDone: () => void }) {
  const [email, setEmail] = useState(kept.email);
  const [password, setPassword] = useState(kept.password);
  Object.assign(kept, { email, password });
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await call('POST', '/setup', { token, email, password, cookie: true });
      onDone();
    } catch (caught) {
      setError(caught);
    } finally {
      setBusy(false);
    }
  };
  const isDone = isApiError(error) && error.status === 404;
  const text = isDone ? t('setup.done') : error ? errorText(error) : null;
  const field = isApiError(error) ? error.field : null;
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <LanguageField />
      <Field label={t('login.email')} fault={field === 'email' ? text : null}>
        <TextInput
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <PasswordField
        label={t('login.password')}
        autoComplete="new-password"
        minLength={minPasswordLength}
        hint={t('setup.password_hint')}
        value={password}
        onChange={setPassword}
        fault={field === 'email' ? null : text}
      />
      <AppsDomain />
      <Button type="submit" variant="primary" busy={busy} className="h-10">
        {t('setup.submit')}
      </Button>
      {isDone && (
        <Link to="/login" className="text-accent underline underline-offset-4">
          {t('login.title')}
        </Link>
      )}
    </form>
  );
}

/** An example app URL; the server's setting, which is public. */
function AppsDomain() {
  const { data } = useQuery({
    queryKey: ['apps', 'check', sampleName],
    queryFn: ({ signal }) => read<{ url?: string }>(`/apps/check/${sampleName}`, signal),
    retry: false,
  });
  return (
    <div className="grid gap-1 text-sm">
      <p className="font-medium">{t('setup.apps')}</p>
      <p className="min-h-5 font-mono break-all">{data?.url ?? ''}</p>
      <p className="text-muted">{t('setup.apps_hint')}</p>
    </div>
  );
}
