// A dot that shows whether the data is live.
import { useSyncExternalStore } from 'react';
import { liveState } from '../api/live.ts';
import { classes } from '../lib/classes.ts';
import { t } from '../texts/text.ts';

const looks = {
  online: { className: 'bg-good', text: 'live.online' },
  connecting: { className: 'bg-warn breathe', text: 'live.connecting' },
  retrying: { className: 'bg-bad', text: 'live.offline' },
  paused: { className: 'bg-edge', text: 'live.paused' },
  off: { className: 'bg-edge', text: 'live.connecting' },
} as const;

export function LiveDot() {
  const { kind } = useSyncExternalStore(liveState.subscribe, liveState.get);
  const { className, text } = looks[kind];
  return (
    <p className="flex min-h-11 min-w-8 items-center justify-center gap-3 text-xs text-muted wide:justify-start wide:px-4.5">
      <span className={classes('size-2 shrink-0 rounded-full', className)} aria-hidden />
      <span className="sr-only wide:not-sr-only" role="status">
        {t(text)}
      </span>
    </p>
  );
}
