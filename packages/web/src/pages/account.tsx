// The user's own account: plan, password, sessions, appearance.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/calls.ts';
import { stopLive } from '../api/live.ts';
import { meQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { PlanBars } from '../bots/plan-bars.tsx';
import { Button } from '../kit/button.tsx';
import { Card, PageHead } from '../kit/card.tsx';
import { CheckBox, Field, Select } from '../kit/field.tsx';
import { usePageTitle } from '../kit/page-title.ts';
import { withToast } from '../kit/toast.tsx';
import { letterKeysOn, remember, setTheme, type Theme, themeNow } from '../lib/preferences.ts';
import { formatMoment } from '../lib/format.ts';
import { LanguageField } from '../shell/language-field.tsx';
import { shownLanguage, t } from '../texts/text.ts';
import { PasswordCard } from './account/password-card.tsx';
import { SessionsCard } from './account/sessions-card.tsx';

const themes = ['system', 'light', 'dark'] as const;
export function AccountPage() {
  usePageTitle(t('nav.account'));
  const { data: me } = useQuery(meQuery);
  const [busy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    if (await withToast(() => call('POST', '/auth/logout', {}))) {
      stopLive();
      queryClient.clear();
      location.assign('/dashboard/login');
    }
    setBusy(false);
  };
  return (
    <div className="mx-auto grid max-w-3xl grid-cols-1 gap-4">
      <PageHead title={t('nav.account')} />
      {me && (
        <Card title={me.user.email} lead={t(`account.role.${me.user.role}`)}>
          <dl className="mb-4 flex flex-wrap gap-x-8 gap-y-2 text-sm">
            <div>
              <dt className="text-muted">{t('account.plan')}</dt>
              <dd>{me.user.plan.name}</dd>
            </div>
            <div>
              <dt className="text-muted">{t('account.since')}</dt>
              <dd>{formatMoment(Date.parse(me.user.created_at), shownLanguage.get())}</dd>
            </div>
          </dl>
          <Button busy={busy} onClick={() => void leave()}>
            {t('login.out')}
          </Button>
        </Card>
      )}
      <PlanBars />
      {me && <PasswordCard email={me.user.email} />}
      <SessionsCard />
      <Looks />
    </div>
  );
}

function Looks() {
  const [theme, choose] = useState(themeNow());
  const [areLettersOn, setLetters] = useState(letterKeysOn());
  return (
    <Card title={t('account.looks')} lead={t('account.looks_lead')}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('theme.label')}>
          <Select
            value={theme}
            onChange={({ target }) => {
              setTheme(target.value as Theme);
              choose(target.value as Theme);
            }}
          >
            {themes.map((each) => (
              <option key={each} value={each}>
                {t(`theme.${each}`)}
              </option>
            ))}
          </Select>
        </Field>
        <LanguageField />
        <CheckBox
          label={t('help.letters')}
          hint={t('help.letters_hint')}
          checked={areLettersOn}
          onChange={({ target }) => {
            remember('letter-keys', target.checked ? 'on' : 'off');
            setLetters(target.checked);
          }}
        />
      </div>
    </Card>
  );
}
