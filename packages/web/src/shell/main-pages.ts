// The pages of the main navigation. The rail, the palette and the "g" keys list them.
import type { LinkProps } from '@tanstack/react-router';
import { Bot, CircleUser, Globe, ShieldCheck } from 'lucide-react';
import type { Me } from '../api/queries.ts';
import type { TextKey } from '../texts/text.ts';

export interface MainPage {
  id: string;
  to: LinkProps['to'];
  label: TextKey;
  icon: typeof Bot;
  /** Other path prefixes at which it counts as current. */
  alsoAt?: readonly string[];
  /** The letter that opens it after "g", and what the list of shortcuts says. */
  shortcut?: readonly [letter: string, text: TextKey];
  isForAdmins?: boolean;
}

export const mainPages: readonly MainPage[] = [
  {
    id: 'bots',
    to: '/',
    label: 'nav.bots',
    icon: Bot,
    alsoAt: ['/bots', '/new'],
    shortcut: ['b', 'help.bots'],
  },
  { id: 'apps', to: '/apps', label: 'nav.apps', icon: Globe, shortcut: ['a', 'help.apps'] },
  { id: 'account', to: '/account', label: 'nav.account', icon: CircleUser },
  { id: 'admin', to: '/admin', label: 'nav.admin', icon: ShieldCheck, isForAdmins: true },
];

/** The pages that the user may open. */
export function mainPagesOf(me: Me | undefined): readonly MainPage[] {
  return mainPages.filter(({ isForAdmins }) => !isForAdmins || me?.user.role === 'admin');
}
