// All pages and their URLs. Pages load on demand; search parameters are validated here.
import { botSorts } from '@botel/contract/vocabulary';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  type SearchSchemaInput,
} from '@tanstack/react-router';
import { activityViews } from './activity/views.ts';
import { sessionEnded } from './api/calls.ts';
import { meQuery } from './api/queries.ts';
import { queryClient } from './api/query-client.ts';
import { groups } from './bots/status-word.ts';
import { isApiError } from './lib/api-error.ts';
import { lazyPart } from './lib/lazy-part.ts';
import { ranges } from './metrics/ranges.ts';
import { adminSections } from './pages/admin/sections.ts';
import { AppShell } from './shell/app-shell.tsx';
import { NotFound, RootFrame, RouteError, RoutePending } from './shell/root-frame.tsx';
import { loadLazyTexts } from './texts/text.ts';

const root = createRootRoute({ component: RootFrame, notFoundComponent: NotFound });

/** The value, if it is one of `values`. */
function oneOf<const T extends string>(value: unknown, values: readonly T[]): T | undefined {
  return values.find((each) => each === value);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** A page with its texts. */
function lazyPage<T extends Record<string, unknown>, K extends keyof T & string>(load: () => Promise<T>, name: K) {
  return lazyRouteComponent(async () => (await Promise.all([lazyPart(load), loadLazyTexts()]))[0], name);
}

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: lazyRouteComponent(() => lazyPart(() => import('./pages/login.tsx')), 'LoginPage'),
  validateSearch: (search: { next?: string } & SearchSchemaInput) => ({ next: text(search.next) }),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyPage(() => import('./pages/setup.tsx'), 'SetupPage'),
});

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: lazyPage(() => import('./pages/reset.tsx'), 'ResetPage'),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: AppShell,
  async beforeLoad({ location: { pathname, searchStr } }) {
    try {
      await queryClient.ensureQueryData(meQuery);
    } catch (error) {
      // Other errors are shown by the page.
      if (!isApiError(error) || error.status !== 401) return;
      sessionEnded.set(false);
      throw redirect({ to: '/login', search: { next: pathname === '/' ? undefined : pathname + searchStr } });
    }
  },
});

const bots = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => lazyPart(() => import('./pages/bots.tsx')), 'BotsPage'),
  validateSearch: (search: { group?: string; q?: string; sort?: string } & SearchSchemaInput) => ({
    group: oneOf(search.group, groups),
    q: text(search.q),
    sort: oneOf(search.sort, botSorts),
  }),
});

const newBot = createRoute({
  getParentRoute: () => shell,
  path: '/new',
  component: lazyPage(() => import('./pages/new-bot.tsx'), 'NewBotPage'),
  validateSearch: (search: { template?: string } & SearchSchemaInput) => ({ template: text(search.template) }),
});

const bot = createRoute({
  getParentRoute: () => shell,
  path: '/bots/$botId',
  component: lazyRouteComponent(() => lazyPart(() => import('./pages/bot/bot-frame.tsx')), 'BotFrame'),
});

const consoleTab = createRoute({
  getParentRoute: () => bot,
  path: '/',
  component: lazyRouteComponent(() => lazyPart(() => import('./pages/bot/console-tab.tsx')), 'ConsoleTab'),
  validateSearch: (search: { at?: number; run?: number } & SearchSchemaInput) => ({
    at: positive(search.at),
    run: positive(search.run),
  }),
});

const filesTab = createRoute({
  getParentRoute: () => bot,
  path: '/files',
  component: lazyPage(() => import('./pages/bot/files-tab.tsx'), 'FilesTab'),
  validateSearch: (search: { path?: string; open?: string } & SearchSchemaInput) => ({
    path: text(search.path),
    open: text(search.open),
  }),
});

const envTab = createRoute({
  getParentRoute: () => bot,
  path: '/env',
  component: lazyPage(() => import('./pages/bot/env-tab.tsx'), 'EnvTab'),
});

const metricsTab = createRoute({
  getParentRoute: () => bot,
  path: '/metrics',
  component: lazyPage(() => import('./pages/bot/metrics-tab.tsx'), 'MetricsTab'),
  validateSearch: (search: { range?: string } & SearchSchemaInput) => ({ range: oneOf(search.range, ranges) }),
});

const backupsTab = createRoute({
  getParentRoute: () => bot,
  path: '/backups',
  component: lazyPage(() => import('./pages/bot/backups-tab.tsx'), 'BackupsTab'),
});

const activityTab = createRoute({
  getParentRoute: () => bot,
  path: '/activity',
  component: lazyPage(() => import('./pages/bot/activity-tab.tsx'), 'ActivityTab'),
  validateSearch: (search: { view?: string } & SearchSchemaInput) => ({ view: oneOf(search.view, activityViews) }),
});

const settingsTab = createRoute({
  getParentRoute: () => bot,
  path: '/settings',
  component: lazyPage(() => import('./pages/bot/settings-tab.tsx'), 'SettingsTab'),
});

const apps = createRoute({
  getParentRoute: () => shell,
  path: '/apps',
  component: lazyPage(() => import('./pages/apps.tsx'), 'AppsPage'),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  component: lazyPage(() => import('./pages/account.tsx'), 'AccountPage'),
});

const admin = createRoute({
  getParentRoute: () => shell,
  path: '/admin',
  component: lazyPage(() => import('./pages/admin.tsx'), 'AdminPage'),
  validateSearch: (search: { section?: string } & SearchSchemaInput) => ({
    section: oneOf(search.section, adminSections),
  }),
});

const botTabs = [consoleTab, filesTab, envTab, metricsTab, backupsTab, activityTab, settingsTab] as const;

const routeTree = root.addChildren([
  login,
  setup,
  reset,
  shell.addChildren([bots, newBot, apps, account, admin, bot.addChildren(botTabs)]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultPreload: 'intent',
  defaultPendingComponent: RoutePending,
  defaultErrorComponent: RouteError,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
