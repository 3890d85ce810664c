// Accounts: create, change plan or role, suspend, reset the password, delete.
import type { PlanOfAdminData, UserOfAdminData } from '@botel/contract/admin';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Ellipsis, KeyRound, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/calls.ts';
import { meQuery } from '../../api/queries.ts';
import { Button, IconButton } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Confirm } from '../../kit/dialog.tsx';
import { Menu } from '../../kit/menu.tsx';
import { MoreButton } from '../../kit/more-button.tsx';
import { Pending } from '../../kit/states.tsx';
import { Ago } from '../../kit/time.tsx';
import { withToast } from '../../kit/toast.tsx';
import { t } from '../../texts/text.ts';
import { plansQuery, readAdminAgain, usersQuery } from './admin-queries.ts';
import { ResetDialog } from './reset-dialog.tsx';
import { NewUserDialog, UserDialog } from './user-dialogs.tsx';
import { Badge, Row, Rows } from './rows.tsx';

export function Users() {
  const list = useInfiniteQuery(usersQuery);
  const { data: plans } = useQuery(plansQuery);
  const [isNew, setNew] = useState(false);
  const { data, error, refetch } = list;
  if (!data) return <Pending query={{ error, refetch }} rows={4} />;
  const known = plans?.plans ?? [];
  return (
    <Card
      title={t('admin.count_users', { count: data.pages[0]?.count ?? 0 })}
      lead={t('admin.users_lead')}
      actions={
        <Button variant="primary" icon={<Plus className="size-4" aria-hidden />} onClick={() => setNew(true)}>
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
      <MoreButton list={list} label={t('admin.more')} />
      {isNew && <NewUserDialog plans={known} onClose={() => setNew(false)} />}
    </Card>
  );
}

function UserRow({ user, plans }: { user: UserOfAdminData; plans: PlanOfAdminData[] }) {
  const { data: me } = useQuery(meQuery);
  const [open, setOpen] = useState<'edit' | 'suspend' | 'reset' | 'delete' | null>(null);
  const isOwn = me?.user.id === user.id;
  const close = () => setOpen(null);
  const suspend = async (suspended: boolean) => {
    await withToast(() => call('POST', '/admin/users/suspend', { user_id: user.id, suspended }));
    readAdminAgain();
  };
  const remove = async () => {
    await withToast(() => call('POST', '/admin/users/delete', { user_id: user.id }));
    readAdminAgain();
  };
  const own = isOwn ? t('admin.not_oneself') : null;
  const gone = user.deleting ? t('admin.deleting_why') : null;
  return (
    <Row
      title={
        <>
          {user.email}
          {user.role === 'admin' && <Badge>{t('admin.role.admin')}</Badge>}
          {user.suspended && <Badge isBad>{t(user.deleting ? 'admin.deleting' : 'status.suspended')}</Badge>}
        </>
      }
      facts={[
        user.plan.name,
        t('admin.has', { bots: user.bots, memory: user.memory_mb }),
        <Ago key="since" at={user.created_at} />,
      ]}
    >
      <Button
        size="small"
        aria-label={t('admin.edit_of', { name: user.email })}
        why={gone}
        onClick={() => setOpen('edit')}
      >
        {t('admin.edit')}
      </Button>
      <Button
        size="small"
        sends={user.suspended}
        aria-label={t(user.suspended ? 'admin.unsuspend_of' : 'admin.suspend_of', { name: user.email })}
        why={gone ?? own}
        onClick={() => (user.suspended ? void suspend(false) : setOpen('suspend'))}
      >
        {t(user.suspended ? 'admin.unsuspend' : 'admin.suspend')}
      </Button>
      <Menu
        trigger={
          <IconButton size="small" variant="plain" label={t('admin.more_of', { name: user.email })} data-tip-side="end">
            <Ellipsis className="size-4" aria-hidden />
          </IconButton>
        }
        entries={[
          { label: t('admin.reset'), icon: <KeyRound className="size-4" />, why: gone, act: () => setOpen('reset') },
          {
            label: t('admin.delete_user'),
            icon: <Trash2 className="size-4" />,
            isGrave: true,
            why: gone ?? own,
            act: () => setOpen('delete'),
          },
        ]}
      />
      {open === 'edit' && <UserDialog user={user} plans={plans} isOwn={isOwn} onClose={close} />}
      <Confirm
        open={open === 'suspend'}
        onClose={close}
        title={t('admin.suspend_title', { name: user.email })}
        lead={t('admin.suspend_lead')}
        verb={t('admin.suspend')}
        onConfirm={() => suspend(true)}
      />
      {open === 'reset' && <ResetDialog user={user} onClose={close} />}
      <Confirm
        open={open === 'delete'}
        onClose={close}
        title={t('admin.delete_title', { name: user.email })}
        lead={t('admin.delete_lead', { bots: user.bots })}
        verb={t('admin.delete_user')}
        typed={{ name: user.email, label: t('admin.delete_type') }}
        onConfirm={remove}
      />
    </Row>
  );
}
