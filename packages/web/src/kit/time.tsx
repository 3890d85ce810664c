// Relative times, with the exact time on hover and focus; updated as time passes.
import { useEffect, useSyncExternalStore } from 'react';
import { formatAgo, formatDuration, formatMoment } from '../lib/format.ts';
import { shownUptime } from '../lib/uptime.ts';
import { ValueStore } from '../lib/value-store.ts';
import { shownLanguage } from '../texts/text.ts';

const now = new ValueStore(Date.now());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Ticks while it has subscribers. */
function useTick(): void {
  useEffect(() => {
    if (watchers++ === 0) {
      now.set(Date.now());
      timer = setInterval(() => now.set(Date.now()), 1000);
    }
    return () => {
      if (--watchers === 0) clearInterval(timer);
    };
  }, []);
}

/** Now in ms, once a second. */
export function useNow(): number {
  useTick();
  return useSyncExternalStore(now.subscribe, now.get);
}

/** The uptime in percent of a bot created at `createdAt`; null while there is none to show. */
export function useUptime(percent: number | null | undefined, createdAt: string): number | null {
  useTick();
  return useSyncExternalStore(now.subscribe, () => shownUptime(percent, createdAt, now.get()));
}

/** `3 minutes ago`; `at` as the API writes times. */
export function Ago({ at }: { at: string }) {
  const ms = Date.parse(at);
  const language = shownLanguage.get();
  useTick();
  // Subscribes to the text, which changes about once a minute: lists have many of them.
  const words = useSyncExternalStore(now.subscribe, () => formatAgo(ms, now.get(), language));
  return (
    <time dateTime={at} title={formatMoment(ms, language)}>
      {words}
    </time>
  );
}

/** How long it has been since `at`. */
export function Since({ at }: { at: string }) {
  const seconds = (useNow() - Date.parse(at)) / 1000;
  return <time dateTime={at}>{formatDuration(seconds, shownLanguage.get())}</time>;
}
