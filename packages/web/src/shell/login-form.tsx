// Email and password; used by the login page and the login dialog.
import type { LoginData } from '@botel/contract/accounts';
import { Eye, EyeOff } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { call } from '../api/calls.ts';
import { Button, IconButton } from '../kit/button.tsx';
import { Field, TextInput } from '../kit/field.tsx';
import { errorText, explanationOf } from '../kit/states.tsx';
import { t } from '../texts/text.ts';

interface LoginFormProps {
  /** Known already, so the field is hidden. */
  email?: string;
  onDone: (login: LoginData) => void;
}

export function LoginForm({ email: known, onDone }: LoginFormProps) {
  const [email, setEmail] = useState(known ?? '');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFault(null);
    try {
      onDone((await call<LoginData>('POST', '/auth/login', { email, password, cookie: true })).data);
    } catch (error) {
      setFault([errorText(error), explanationOf(error)].filter(Boolean).join('. '));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      <Field label={t('login.email')}>
        <TextInput
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <PasswordField
        label={t('login.password')}
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        fault={fault}
      />
      <Button type="submit" variant="primary" busy={busy} className="h-10">
        {t('login.submit')}
      </Button>
    </form>
  );
}

interface PasswordFieldProps {
  label: string;
  autoComplete: 'current-password' | 'new-password';
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  fault?: string | null;
  minLength?: number;
}

/** A password that can be shown, pasted and filled in by a password manager. */
export function PasswordField({ label, autoComplete, value, onChange, hint, fault, minLength }: PasswordFieldProps) {
  const [isShown, setShown] = useState(false);
  const Icon = isShown ? EyeOff : Eye;
  return (
    <div className="relative">
      <Field label={label} hint={hint} fault={fault}>
        <TextInput
          type={isShown ? 'text' : 'password'}
          name={autoComplete}
          autoComplete={autoComplete}
          required
          minLength={minLength}
          className="pe-11"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </Field>
      <div className="absolute end-0.5 top-[1.75rem]">
        <IconButton
          label={t(isShown ? 'login.hide' : 'login.show')}
          data-tip-side="end"
          onClick={() => setShown(!isShown)}
        >
          <Icon className="size-4" aria-hidden />
        </IconButton>
      </div>
    </div>
  );
}
