// The effective settings of the server, read-only.
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../kit/card.tsx';
import { Pending } from '../../kit/states.tsx';
import { t } from '../../texts/text.ts';
import { settingsQuery } from './admin-queries.ts';

export function Settings() {
  const { data, error, refetch } = useQuery(settingsQuery);
  if (!data) return <Pending query={{ error, refetch }} rows={6} />;
  return (
    <Card title={t('admin.section.settings')} lead={t('admin.settings_lead')}>
      <dl className="grid">
        {data.settings.map(({ name, value, meaning }) => (
          <div key={name} className="border-b border-line py-2.5 first:pt-0 last:border-0 last:pb-0">
            <dt className="font-mono text-sm">{name}</dt>
            <dd className="font-mono text-sm break-all text-accent">{value || t('admin.unset')}</dd>
            <dd lang="en" className="text-sm text-muted">
              {meaning}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
