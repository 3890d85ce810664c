// Plans: their limits and number of users; create, edit, delete.
import type { PlanOfAdminData } from '@botel/contract/admin';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/calls.ts';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Pending } from '../../kit/states.tsx';
import { withToast } from '../../kit/toast.tsx';
import { t } from '../../texts/text.ts';
import { plansQuery, readAdminAgain } from './admin-queries.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { Badge, Row, Rows } from './rows.tsx';

export function Plans() {
  const { data, error, refetch } = useQuery(plansQuery);
  const [isNew, setNew] = useState(false);
  if (!data) return <Pending query={{ error, refetch }} rows={3} />;
  return (
    <Card
      title={t('admin.section.plans')}
      lead={t('admin.plans_lead')}
      actions={
        <Button variant="primary" icon={<Plus className="size-4" aria-hidden />} onClick={() => setNew(true)}>
          {t('admin.new_plan')}
        </Button>
      }
    >
      <Rows>
        {data.plans.map((plan) => (
          <PlanRow key={plan.id} plan={plan} />
        ))}
      </Rows>
      {isNew && <PlanDialog plan={null} onClose={() => setNew(false)} />}
    </Card>
  );
}

function PlanRow({ plan }: { plan: PlanOfAdminData }) {
  const { id, name, fixed: isFixed, users } = plan;
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const close = () => setOpen(null);
  const fixedWhy = isFixed ? t('admin.plan_fixed') : null;
  return (
    <Row
      title={
        <>
          {name}
          {isFixed && <Badge>{t('admin.plan_default')}</Badge>}
        </>
      }
      facts={[
        t('admin.mb', { memory: plan.memory_mb }),
        t('admin.plan_bots', { count: plan.bots }),
        t('admin.plan_disk', { disk: plan.disk_mb }),
        t('admin.plan_apps', { count: plan.apps }),
        !plan.internet && t('admin.plan_offline'),
        t('admin.plan_users', { count: users }),
      ]}
    >
      <Button size="small" aria-label={t('admin.edit_of', { name })} why={fixedWhy} onClick={() => setOpen('edit')}>
        {t('admin.edit')}
      </Button>
      <Button
        size="small"
        aria-label={t('admin.delete_of', { name })}
        why={fixedWhy ?? (users > 0 ? t('admin.plan_used') : null)}
        onClick={() => setOpen('delete')}
      >
        {t('action.delete')}
      </Button>
      {open === 'edit' && <PlanDialog plan={plan} onClose={close} />}
      <Confirm
        open={open === 'delete'}
        onClose={close}
        title={t('admin.plan_delete_title', { name })}
        lead={t('admin.plan_delete_lead')}
        verb={t('action.delete')}
        onConfirm={async () => {
          await withToast(() => call('POST', '/admin/plans/delete', { plan_id: id }));
          readAdminAgain();
        }}
      />
    </Row>
  );
}
