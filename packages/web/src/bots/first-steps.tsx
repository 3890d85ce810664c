// Shown instead of an empty list: three templates, and a way to upload one's own files.
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowRight } from 'lucide-react';
import { templatesQuery } from '../api/queries.ts';
import { Skeleton } from '../kit/states.tsx';
import { shownLanguage, t } from '../texts/text.ts';
import { handOver } from '../wizard/handed-over.ts';
import { OwnFilesZone } from '../wizard/own-files-zone.tsx';

/** One template per popular language that runs as it is, and one for Discord. */
const shownIds = ['nodejs', 'python', 'discord-js'];

export function FirstSteps() {
  const { data: templates, error } = useQuery(templatesQuery);
  const navigate = useNavigate();
  return (
    <div className="mx-auto grid max-w-4xl gap-6">
      <section>
        <h2 className="mb-3 text-base">{t('bots.walk')}</h2>
        {!templates && !error && <Skeleton rows={1} height="7rem" />}
        <ul className="grid gap-3 sm:grid-cols-3">
          {templates
            ?.filter(({ id }) => shownIds.includes(id))
            .toSorted((one, other) => shownIds.indexOf(one.id) - shownIds.indexOf(other.id))
            .map(({ id, name, language, description, translations }) => (
              <li key={id} className="grid">
                <Link
                  to="/new"
                  search={{ template: id }}
                  className="grid grid-rows-[auto_1fr_auto] gap-1 rounded-card bg-surface p-4 text-sm shadow-card hover:bg-accent-soft"
                >
                  <span className="flex items-baseline justify-between gap-2">
                    <span className="text-base font-medium">{name}</span>
                    <span className="text-xs text-brass">{t(`language.${language}`)}</span>
                  </span>
                  <span className="text-muted">{translations[shownLanguage.get()] ?? description}</span>
                  <ArrowRight className="mt-1 size-4 text-accent" aria-hidden />
                </Link>
              </li>
            ))}
        </ul>
      </section>
      <OwnFilesZone
        title={t('bots.import')}
        files={null}
        onFiles={(files) => {
          handOver(files);
          void navigate({ to: '/new' });
        }}
      />
    </div>
  );
}
