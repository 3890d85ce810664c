// The forms to create and to edit an account.
import type { PlanOfAdminData, UserOfAdminData } from '@botel/contract/admin';
import { roles } from '@botel/contract/vocabulary';
import { type FormEvent, useState } from 'react';
import { call, create } from '../../api/calls.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, Select, TextInput } from '../../kit/field.tsx';
import { errorText } from '../../kit/states.tsx';
import { toastSuccess } from '../../kit/toast.tsx';
import { isApiError } from '../../lib/api-error.ts';
import { PasswordField } from '../../shell/login-form.tsx';
import { t } from '../../texts/text.ts';
import { readAdminAgain } from './admin-queries.ts';

type Role = UserOfAdminData['role'];

/** Sends a form; the server's error is shown at the field it names. */
export function useForm(send: () => Promise<{ message?: string }>, onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const named = isApiError(error) ? error.field : null;
  return {
    busy,
    /** Of a field; without a name, of none. */
    faultOf: (field: string | null) => (error !== null && named === field ? errorText(error) : null),
    async submit(event: FormEvent) {
      event.preventDefault();
      setBusy(true);
      setError(null);
      try {
        const { message } = await send();
        if (message) toastSuccess(message);
        readAdminAgain();
        onDone();
      } catch (caught) {
        setError(caught);
      } finally {
        setBusy(false);
      }
    },
  };
}

/** The error of the whole form, and its buttons. */
export function FormEnd({
  fault,
  busy,
  verb,
  onCancel,
}: {
  fault: string | null;
  busy: boolean;
  verb: string;
  onCancel: () => void;
}) {
  return (
    <>
      {fault && (
        <p role="alert" className="text-sm text-bad">
          {fault}
        </p>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('action.cancel')}</Button>
        <Button type="submit" variant="primary" busy={busy}>
          {verb}
        </Button>
      </div>
    </>
  );
}

export function NewUserDialog({ plans, onClose }: { plans: PlanOfAdminData[]; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [role, setRole] = useState<Role>('user');
  const [planId, setPlanId] = useState('default');
  const { busy, faultOf, submit } = useForm(
    () => create('/admin/users/create', { email, password, role, plan_id: planId }),
    onClose,
  );
  return (
    <Dialog open onOpenChange={onClose} title={t('admin.new_user')} lead={t('admin.new_user_lead')}>
      <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
        <Field label={t('login.email')} fault={faultOf('email')}>
          <TextInput
            type="email"
            autoComplete="off"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <PasswordField
          label={t('login.password')}
          autoComplete="new-password"
          hint={t('setup.password_hint')}
          minLength={12}
          value={password}
          onChange={setPassword}
          fault={faultOf('password')}
        />
        <RoleField role={role} onChange={setRole} />
        <PlanField plans={plans} planId={planId} onChange={setPlanId} />
        <FormEnd fault={faultOf(null)} busy={busy} verb={t('admin.new_user')} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

interface UserDialogProps {
  user: UserOfAdminData;
  plans: PlanOfAdminData[];
  /** Nobody changes its own role. */
  isOwn: boolean;
  onClose: () => void;
}

export function UserDialog({ user, plans, isOwn, onClose }: UserDialogProps) {
  const [role, setRole] = useState(user.role);
  const [planId, setPlanId] = useState(user.plan.id);
  const change = { user_id: user.id, plan_id: planId, ...(!isOwn && { role }) };
  const { busy, faultOf, submit } = useForm(() => call('POST', '/admin/users/update', change), onClose);
  return (
    <Dialog open onOpenChange={onClose} title={user.email}>
      <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
        {!isOwn && <RoleField role={role} onChange={setRole} />}
        <PlanField plans={plans} planId={planId} onChange={setPlanId} />
        <FormEnd fault={faultOf(null)} busy={busy} verb={t('action.save')} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function RoleField({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  return (
    <Field label={t('admin.role')}>
      <Select value={role} onChange={(event) => onChange(event.target.value as Role)}>
        {roles.map((each) => (
          <option key={each} value={each}>
            {t(`admin.role.${each}`)}
          </option>
        ))}
      </Select>
    </Field>
  );
}

interface PlanFieldProps {
  plans: PlanOfAdminData[];
  planId: string;
  onChange: (planId: string) => void;
}

function PlanField({ plans, planId, onChange }: PlanFieldProps) {
  return (
    <Field label={t('account.plan')}>
      <Select value={planId} onChange={(event) => onChange(event.target.value)}>
        {plans.map(({ id, name, memory_mb: memory, bots }) => (
          <option key={id} value={id}>
            {t('admin.plan_option', { name, memory, bots })}
          </option>
        ))}
      </Select>
    </Field>
  );
}
