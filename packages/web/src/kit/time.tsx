// Moments as people say them, with the exact time on hover and focus; told anew while time goes by.
import { useEffect, useSyncExternalStore } from 'react';
import { formatAgo, formatDuration, formatMoment } from '../lib/format.ts';
import { ValueStore } from '../lib/value-store.ts';
import { shownLanguage } from '../texts/text.ts';

const now = new ValueStore(Date.now());
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** Now in ms, once a second for as long as somebody looks. */
export function useNow(): number {
  useEffect(() => {
    now.set(Date.now());
    if (watchers++ === 0) timer = setInterval(() => now.set(Date.now()), 1000);
    return () => {
      if (--watchers === 0) clearInterval(timer);
    };
  }, []);
  return useSyncExternalStore(now.subscribe, now.get);
}

/** `3 minutes ago`; `at` as the API writes times. */
export function Ago({ at }: { at: string }) {
  const ms = Date.parse(at);
  const exact = formatMoment(ms, shownLanguage.get());
  return (
    <time dateTime={at} title={exact}>
      {formatAgo(ms, useNow(), shownLanguage.get())}
    </time>
  );
}

/** How long it has been since `at`. */
export function Since({ at }: { at: string }) {
  const seconds = (useNow() - Date.parse(at)) / 1000;
  return <time dateTime={at}>{formatDuration(seconds, shownLanguage.get())}</time>;
}
