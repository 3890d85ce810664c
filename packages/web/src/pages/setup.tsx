// First run: the first account by the server's one-time link, then whether this machine is ready for bots.
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { call, read } from '../api/calls.ts';
import { Button } from '../kit/button.tsx';
import { LinkButton } from '../kit/link-button.tsx';
import { Field, TextInput } from '../kit/field.tsx';
import { errorText } from '../kit/states.tsx';
import { isApiError } from '../lib/api-error.ts';
import { takeFragment } from '../lib/take-fragment.ts';
import { PasswordField } from '../shell/login-form.tsx';
import { t } from '../texts/text.ts';
import { DoorFrame } from './login.tsx';

const leastPassword = 12;

export function SetupPage() {
  const [token] = useState(takeFragment);
  const [isMade, setMade] = useState(false);
  if (isMade)
    return (
      <DoorFrame title={t('setup.machine')} lead={t('setup.machine_lead')}>
        <Machine />
      </DoorFrame>
    );
  return (
    <DoorFrame title={t('setup.title')} lead={t('setup.lead')}>
      {token ? <FirstAccount token={token} onDone={() => setMade(true)} /> : <p>{t('setup.no_token')}</p>}
    </DoorFrame>
  );
}

function FirstAccount({ token, onDone }: { token: string; onDone: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
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
        minLength={leastPassword}
        hint={t('setup.password_hint')}
        value={password}
        onChange={setPassword}
        fault={field === 'email' ? null : text}
      />
      <Button type="submit" look="primary" busy={busy} className="h-10">
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

function Machine() {
  const { error, isPending, refetch, isFetching } = useQuery({
    queryKey: ['ready'],
    queryFn: ({ signal }) => read('/ready', signal),
    retry: false,
  });
  return (
    <div className="grid gap-4">
      {isPending ? (
        <p role="status">{t('state.loading')}</p>
      ) : error ? (
        <>
          <p role="alert">{t('setup.not_ready', { reason: errorText(error) })}</p>
          <Button busy={isFetching} onClick={() => void refetch()}>
            {t('state.retry')}
          </Button>
        </>
      ) : (
        <p className="flex gap-2">
          <CircleCheck className="mt-0.5 size-5 shrink-0 text-good" aria-hidden />
          {t('setup.ready')}
        </p>
      )}
      <LinkButton to="/new">{t('setup.next')}</LinkButton>
    </div>
  );
}
