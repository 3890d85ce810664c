// All bots with their owners. An admin sees their status, not their contents, and can suspend them.
import type { BotOfAdminData } from '@botel/contract/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Bot } from 'lucide-react';
import { useState } from 'react';
import { StatusMark } from '../../bots/status-mark.tsx';
import { call } from '../../api/calls.ts';
import { Button } from '../../kit/button.tsx';
import { Card } from '../../kit/card.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { MoreButton } from '../../kit/more-button.tsx';
import { Empty, Pending } from '../../kit/states.tsx';
import { withToast } from '../../kit/toast.tsx';
import { isTextKey, t } from '../../texts/text.ts';
import { allBotsQuery, readAdminAgain } from './admin-queries.ts';
import { Row, Rows } from './rows.tsx';
import { FormEnd, useForm } from './user-dialogs.tsx';

const longestReason = 200;

export function AllBots() {
  const list = useInfiniteQuery(allBotsQuery);
  const { data, error, refetch } = list;
  if (!data) return <Pending query={{ error, refetch }} rows={4} />;
  const bots = data.pages.flatMap((page) => page.bots);
  if (bots.length === 0) return <Empty icon={<Bot />} title={t('admin.no_bots')} />;
  return (
    <Card title={t('admin.count_bots', { count: data.pages[0]?.count ?? 0 })} lead={t('admin.bots_lead')}>
      <Rows>
        {bots.map((bot) => (
          <BotRow key={bot.id} bot={bot} />
        ))}
      </Rows>
      <MoreButton list={list} label={t('admin.more')} />
    </Card>
  );
}

function BotRow({ bot }: { bot: BotOfAdminData }) {
  const [isAsking, setAsking] = useState(false);
  const letRun = async () => {
    await withToast(() => call('POST', '/admin/bots/suspend', { bot_id: bot.id, suspended: false }));
    readAdminAgain();
  };
  const { suspended, suspended_reason: reason } = bot;
  return (
    <Row
      title={bot.name}
      facts={[
        bot.owner.email,
        languageOf(bot.language),
        t('admin.mb', { memory: bot.memory }),
        reason && t('admin.because', { reason }),
      ]}
    >
      <span className="flex flex-wrap items-center gap-3">
        <StatusMark bot={{ ...bot, status_reason: bot.status_reason as never, phase: null, next_restart_at: null }} />
        <Button
          size="small"
          aria-label={t(suspended ? 'admin.let_run_of' : 'admin.suspend_of', { name: bot.name })}
          onClick={() => (suspended ? void letRun() : setAsking(true))}
        >
          {t(suspended ? 'admin.let_run' : 'admin.suspend')}
        </Button>
      </span>
      {isAsking && <SuspendDialog bot={bot} onClose={() => setAsking(false)} />}
    </Row>
  );
}

function SuspendDialog({ bot, onClose }: { bot: BotOfAdminData; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const send = () => call('POST', '/admin/bots/suspend', { bot_id: bot.id, suspended: true, reason: reason.trim() });
  const { busy, faultOf, submit } = useForm(send, onClose);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('admin.suspend_title', { name: bot.name })}
      lead={t('admin.suspend_bot_lead')}
    >
      <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
        <Field label={t('admin.reason')} hint={t('admin.reason_hint')} fault={faultOf('reason')}>
          <TextInput maxLength={longestReason} value={reason} onChange={(event) => setReason(event.target.value)} />
        </Field>
        <FormEnd fault={faultOf(null)} busy={busy} verb={t('admin.suspend')} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function languageOf(language: string): string {
  const key = `language.${language}`;
  return isTextKey(key) ? t(key) : language;
}
