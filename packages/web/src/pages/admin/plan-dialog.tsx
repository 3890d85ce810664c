// The form of a plan: name and limits.
import type { PlanOfAdminData } from '@botel/contract/admin';
import { useState } from 'react';
import { call } from '../../api/calls.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { CheckBox, Field, TextInput } from '../../kit/field.tsx';
import { t } from '../../texts/text.ts';
import { FormEnd, useForm } from './user-dialogs.tsx';

const limits = ['memory_mb', 'bots', 'disk_mb', 'apps', 'upload_limit_mb'] as const;
type Limit = (typeof limits)[number];
type Draft = Record<Limit | 'network_mbit', string> & { name: string; internet: boolean };

const minimums: Record<Limit, number> = { memory_mb: 128, bots: 1, disk_mb: 16, apps: 0, upload_limit_mb: 1 };
const usual: Draft = {
  name: '',
  memory_mb: '1024',
  bots: '3',
  disk_mb: '1024',
  apps: '1',
  upload_limit_mb: '100',
  network_mbit: '',
  internet: true,
};

/** `plan` null: a new one. */
export function PlanDialog({ plan, onClose }: { plan: PlanOfAdminData | null; onClose: () => void }) {
  const [draft, setDraft] = useState(plan ? draftOf(plan) : usual);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const send = () => call<PlanOfAdminData>('POST', '/admin/plans/save', bodyOf(draft, plan));
  const { busy, faultOf, submit } = useForm(send, onClose);
  return (
    <Dialog open onOpenChange={onClose} title={plan?.name ?? t('admin.new_plan')} lead={t('admin.plan_lead')}>
      <form className="grid gap-4 sm:grid-cols-2" onSubmit={(event) => void submit(event)}>
        <Field label={t('admin.plan_name')} fault={faultOf('name')} className="sm:col-span-2">
          <TextInput
            required
            maxLength={64}
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
        {limits.map((limit) => (
          <Field key={limit} label={t(`admin.limit.${limit}`)} fault={faultOf(limit)}>
            <TextInput
              type="number"
              required
              min={minimums[limit]}
              value={draft[limit]}
              onChange={(event) => change({ [limit]: event.target.value })}
            />
          </Field>
        ))}
        <Field label={t('admin.limit.network_mbit')} hint={t('admin.no_limit')} fault={faultOf('network_mbit')}>
          <TextInput
            type="number"
            min={1}
            value={draft.network_mbit}
            onChange={(event) => change({ network_mbit: event.target.value })}
          />
        </Field>
        <div className="sm:col-span-2">
          <CheckBox
            label={t('admin.internet')}
            checked={draft.internet}
            onChange={(event) => change({ internet: event.target.checked })}
          />
        </div>
        <div className="grid gap-3 sm:col-span-2">
          <FormEnd fault={faultOf(null)} busy={busy} verb={t('action.save')} onCancel={onClose} />
        </div>
      </form>
    </Dialog>
  );
}

function draftOf(plan: PlanOfAdminData): Draft {
  const { name, internet, network_mbit: mbit } = plan;
  const numbers = Object.fromEntries(limits.map((limit) => [limit, String(plan[limit])])) as Record<Limit, string>;
  return { ...numbers, name, internet, network_mbit: mbit === null ? '' : String(mbit) };
}

function bodyOf(draft: Draft, plan: PlanOfAdminData | null): object {
  return {
    ...(plan && { plan_id: plan.id }),
    name: draft.name.trim(),
    internet: draft.internet,
    ...Object.fromEntries(limits.map((limit) => [limit, Number(draft[limit])])),
    ...(draft.network_mbit !== '' && { network_mbit: Number(draft.network_mbit) }),
  };
}
