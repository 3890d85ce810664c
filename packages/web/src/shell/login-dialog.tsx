// Shown over the page when the session has expired, so that the user continues where they were.
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { sessionEnded } from '../api/calls.ts';
import { meQuery } from '../api/queries.ts';
import { queryClient } from '../api/query-client.ts';
import { Dialog } from '../kit/dialog.tsx';
import { t } from '../texts/text.ts';
import { LoginForm } from './login-form.tsx';

export function LoginDialog() {
  const isEnded = useSyncExternalStore(sessionEnded.subscribe, sessionEnded.get);
  const { data: me } = useQuery({ ...meQuery, enabled: false });
  return (
    <Dialog open={isEnded && me !== undefined} title={t('login.again')} lead={t('login.again_hint')} isFirm>
      <LoginForm
        email={me?.user.email}
        onDone={({ user }) => {
          // Another user's data must not stay visible.
          if (user.id !== me?.user.id) location.reload();
          sessionEnded.set(false);
          void queryClient.invalidateQueries();
        }}
      />
    </Dialog>
  );
}
