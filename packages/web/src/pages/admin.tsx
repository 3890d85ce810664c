// The admin page: machine, users, plans, all bots, and the effective settings.
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Lock } from 'lucide-react';
import { meQuery } from '../api/queries.ts';
import { PageHead } from '../kit/card.tsx';
import { usePageTitle } from '../kit/page-title.ts';
import { Empty } from '../kit/states.tsx';
import { t } from '../texts/text.ts';
import { AllBots } from './admin/all-bots.tsx';
import { Machine } from './admin/machine.tsx';
import { Overview } from './admin/overview.tsx';
import { Plans } from './admin/plans.tsx';
import { type AdminSection, adminSections } from './admin/sections.ts';
import { Settings } from './admin/settings.tsx';
import { Users } from './admin/users.tsx';

const sections: Record<AdminSection, typeof Overview> = {
  overview: Overview,
  machine: Machine,
  users: Users,
  plans: Plans,
  bots: AllBots,
  settings: Settings,
};

/** Not all sections fit on phones. */
function bringIntoView(link: HTMLAnchorElement | null): void {
  link?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

export function AdminPage() {
  usePageTitle(t('nav.admin'));
  const { data: me } = useQuery(meQuery);
  const { section = 'overview' } = useSearch({ from: '/shell/admin' });
  const Shown = sections[section];
  if (me?.user.role !== 'admin')
    return (
      <>
        <PageHead title={t('nav.admin')} />
        <Empty icon={<Lock />} title={t('admin.not_yours')} />
      </>
    );
  return (
    <>
      <PageHead title={t('nav.admin')} />
      <nav aria-label={t('admin.sections')} className="mb-5 flex gap-1 overflow-x-auto border-b border-line">
        {adminSections.map((name) => (
          <Link
            key={name}
            ref={name === section ? bringIntoView : undefined}
            to="/admin"
            search={name === 'overview' ? {} : { section: name }}
            activeOptions={{ exact: true }}
            className="-mb-px inline-flex h-10 items-center border-b-2 border-transparent px-3 text-sm whitespace-nowrap text-muted hover:text-ink focus-visible:outline-offset-[-2px] touch:min-h-11"
            activeProps={{ className: 'border-accent! text-ink! font-medium' }}
          >
            {t(`admin.section.${name}`)}
          </Link>
        ))}
      </nav>
      <Shown />
    </>
  );
}
