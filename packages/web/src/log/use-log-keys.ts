// Single-letter shortcuts of the console: / search, f follow, space pause, r restart. Inactive when
// switched off or while typing.
import { type RefObject, useEffect, useEffectEvent } from 'react';
import { letterKeysOn } from '../lib/preferences.ts';
import { isTyping } from '../lib/is-typing.ts';

interface Keys {
  search: RefObject<HTMLInputElement | null>;
  pause: () => void;
  follow: () => void;
  restart: () => void;
}

export function useLogKeys({ search, pause, follow, restart }: Keys): void {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || !letterKeysOn()) return;
    const isOnControl = event.target instanceof Element && event.target.closest('button, a, [role=menu]') !== null;
    if (event.key === '/') search.current?.focus();
    else if (event.key === 'f') follow();
    else if (event.key === 'r') restart();
    else if (event.key === ' ' && !isOnControl) pause();
    else return;
    event.preventDefault();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
