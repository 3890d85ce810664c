// The Activity tab of a bot: its events, or its runs.
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { EventList } from '../../activity/event-list.tsx';
import { RunList } from '../../activity/run-list.tsx';
import { activityViews } from '../../activity/views.ts';
import { Card } from '../../kit/card.tsx';
import { classes } from '../../lib/classes.ts';
import { t } from '../../texts/text.ts';

export function ActivityTab() {
  const { botId } = useParams({ from: '/shell/bots/$botId' });
  const { view = 'events' } = useSearch({ from: '/shell/bots/$botId/activity' });
  const navigate = useNavigate({ from: '/bots/$botId/activity' });
  return (
    <Card className="grid gap-4">
      <fieldset className="flex flex-wrap gap-1">
        <legend className="sr-only">{t('activity.view')}</legend>
        {activityViews.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === view}
            onClick={() => void navigate({ search: { view: each }, replace: true })}
            className={classes(
              'h-8 rounded-full px-3 text-sm touch:min-h-11',
              each === view ? 'bg-ink text-paper' : 'text-muted hover:bg-sunken hover:text-ink',
            )}
          >
            {t(`activity.view.${each}`)}
          </button>
        ))}
      </fieldset>
      <h2 className="sr-only">{t(`activity.view.${view}`)}</h2>
      {view === 'runs' ? <RunList botId={botId} /> : <EventList botId={botId} />}
    </Card>
  );
}
