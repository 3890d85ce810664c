// The main navigation, at the left or on top on phones, with search, theme and connection state.
import { Link, useLocation } from '@tanstack/react-router';
import { BookOpen, Moon, Search, Sun } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Me } from '../api/queries.ts';
import { classes } from '../lib/classes.ts';
import { setTheme } from '../lib/preferences.ts';
import { t } from '../texts/text.ts';
import { openLayer } from './keyboard-layer.tsx';
import { LiveDot } from './live-dot.tsx';
import { Logo } from './logo.tsx';
import { type MainPage, mainPagesOf } from './main-pages.ts';

const item =
  'flex items-center justify-center gap-3 rounded-lg min-h-11 min-w-11 text-sm text-muted hover:bg-sunken hover:text-ink ' +
  'transition-colors wide:justify-start wide:px-3';
const itemNow = 'bg-accent-soft! text-accent! font-medium';

export function Rail({ me }: { me: Me | undefined }) {
  return (
    <header
      className={classes(
        'sticky top-0 z-20 flex flex-wrap items-center gap-1 border-b border-line bg-paper/95 px-1 backdrop-blur sm:px-2',
        'md:h-dvh md:flex-col md:flex-nowrap md:items-stretch md:border-b-0 md:border-e md:px-2.5 md:py-4',
      )}
    >
      <Link
        to="/"
        className="flex min-h-11 items-center gap-2.5 rounded-lg px-1.5 md:mb-3 md:justify-center wide:justify-start wide:px-2.5"
        aria-label={t('app.name')}
      >
        <Logo className="size-7" />
        <span className="hidden text-lg font-semibold tracking-tight wide:inline" aria-hidden>
          {t('app.name')}
        </span>
      </Link>
      <nav aria-label={t('nav.label')} className="flex grow gap-1 md:flex-col">
        {mainPagesOf(me).map((page) => (
          <NavLink key={page.id} page={page} />
        ))}
      </nav>
      <div className="flex gap-1 md:flex-col">
        <RailButton
          label={t('nav.search')}
          word={t('nav.search_short')}
          icon={<Search />}
          onClick={() => openLayer('palette')}
        />
        <a
          href="/docs"
          className={classes(item, 'hidden! md:flex!')}
          aria-label={t('nav.reference')}
          data-tip-side="right"
        >
          <BookOpen className="size-5 shrink-0" aria-hidden />
          <span className="hidden wide:inline">{t('nav.reference')}</span>
        </a>
        <div className="hidden md:block">
          <ThemeButton />
        </div>
        <LiveDot />
      </div>
    </header>
  );
}

function NavLink({ page: { to, label, icon: Icon, alsoAt } }: { page: MainPage }) {
  const { pathname } = useLocation();
  const isHere = pathname === to || alsoAt?.some((start) => pathname.startsWith(start));
  return (
    <Link
      to={to}
      className={classes(
        item,
        'md:flex-col md:gap-1 md:py-2 wide:flex-row wide:gap-3 [&_svg]:size-5 [&_svg]:shrink-0',
        isHere && itemNow,
      )}
    >
      <Icon />
      <span className="sr-only md:not-sr-only md:text-xs wide:text-sm">{t(label)}</span>
    </Link>
  );
}

interface RailButtonProps {
  label: string;
  /** The visible text if there is room; default: the label. */
  word?: string;
  icon: ReactNode;
  onClick: () => void;
}

function RailButton({ label, word = label, icon, onClick }: RailButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className={classes(item, '[&_svg]:size-5 [&_svg]:shrink-0')}
    >
      {icon}
      <span className="hidden wide:inline">{word}</span>
    </button>
  );
}

function ThemeButton() {
  const [isDark, setDark] = useState(document.documentElement.dataset.theme === 'dark');
  return (
    <RailButton
      label={t(isDark ? 'theme.light' : 'theme.dark')}
      icon={isDark ? <Sun /> : <Moon />}
      onClick={() => {
        setTheme(isDark ? 'light' : 'dark');
        setDark(!isDark);
      }}
    />
  );
}
