// Accounts: who there is and what they have; making one, giving another plan or role, suspending.
import type { PlanOfAdminData, UserOfAdminData } from '@botel/contract/admin';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/calls.ts';
import { meQuery } from '../../api/queries.ts';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { ErrorCard, Skeleton } from '../../kit/states.tsx';
import { Ago } from '../../kit/time.tsx';
import { told } from '../../kit/toast.tsx';
import { t } from '../../texts/text.ts';
import { plansQuery, readAdminAgain, usersQuery } from './admin-queries.ts';
import { MoreButton } from './more-button.tsx';
import { NewUserDialog, UserDialog } from './user-dialogs.tsx';
import { Badge, Row, Rows } from './rows.tsx';

export function Users() {
  const list = useInfiniteQuery(usersQuery);
  const { data: plans } = useQuery(plansQuery);
  const [isNew, setNew] = useState(false);
  const { data, error, refetch } = list;
  if (!data) return error ? <ErrorCard error={error} retry={() => void refetch()} /> : <Skeleton rows={4} />;
  const known = plans?.plans ?? [];
  return (
    <Card
      title={t('admin.count_users', { count: data.pages[0]?.count ?? 0 })}
      lead={t('admin.users_lead')}
      actions={
        <Button look="primary" icon={<Plus className="size-4" aria-hidden />} onClick={() => setNew(true)}>
          {t('admin.new_user')}
        </Button>
      }
    >
      <Rows>
        {data.pages
          .flatMap((page) => page.users)
          .map((user) => (
            <UserRow key={user.id} user={user} plans={known} />
          ))}
      </Rows>
      <MoreButton list={list} />
      {isNew && <NewUserDialog plans={known} onClose={() => setNew(false)} />}
    </Card>
  );
}

function UserRow({ user, plans }: { user: UserOfAdminData; plans: PlanOfAdminData[] }) {
  const { data: me } = useQuery(meQuery);
  const [open, setOpen] = useState<'edit' | 'suspend' | null>(null);
  const isOwn = me?.user.id === user.id;
  const close = () => setOpen(null);
  const suspend = async (suspended: boolean) => {
    await told(() => call('POST', '/admin/users/suspend', { user_id: user.id, suspended }));
    readAdminAgain();
  };
  return (
    <Row
      title={
        <>
          {user.email}
          {user.role === 'admin' && <Badge>{t('admin.role.admin')}</Badge>}
          {user.suspended && <Badge isBad>{t('status.suspended')}</Badge>}
        </>
      }
      facts={[
        user.plan.name,
        t('admin.has', { bots: user.bots, memory: user.memory_mb }),
        <Ago key="since" at={user.created_at} />,
      ]}
    >
      <Button size="small" aria-label={t('admin.edit_of', { name: user.email })} onClick={() => setOpen('edit')}>
        {t('admin.edit')}
      </Button>
      <Button
        size="small"
        aria-label={t(user.suspended ? 'admin.unsuspend_of' : 'admin.suspend_of', { name: user.email })}
        why={isOwn ? t('admin.not_oneself') : null}
        onClick={() => (user.suspended ? void suspend(false) : setOpen('suspend'))}
      >
        {t(user.suspended ? 'admin.unsuspend' : 'admin.suspend')}
      </Button>
      {open === 'edit' && <UserDialog user={user} plans={plans} isOwn={isOwn} onClose={close} />}
      <Confirm
        open={open === 'suspend'}
        onClose={close}
        title={t('admin.suspend_title', { name: user.email })}
        lead={t('admin.suspend_lead')}
        verb={t('admin.suspend')}
        onConfirm={() => suspend(true)}
      />
    </Row>
  );
}
