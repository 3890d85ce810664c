// All pages of the dashboard, for tests that run on each: their paths, requests and typical
// actions.
import type { Locator, Page } from 'playwright-core';
import { type Fixture, goodBot } from '../../packages/server/test/support/fixture.ts';
import { until } from '../../packages/server/test/support/until.ts';

export interface PageRow {
  name: string;
  /** Below /dashboard. */
  path: string;
  /** Text shown once the page has its data, per language. */
  english: RegExp;
  portuguese: RegExp;
  /** The request it depends on; null = none. */
  reads: RegExp | null;
  /** A request it can do without. */
  partly?: RegExp;
  /** A button that sends something, after `prepare`. */
  sends?: (page: Page) => Locator;
  prepare?: (page: Page) => Promise<unknown>;
  /** A field that isn't saved automatically. */
  typed?: (page: Page) => Locator;
  /** What is typed into it. */
  text?: string;
}

const button = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first();
const field = (label: string) => (page: Page) => page.getByLabel(label, { exact: true }).first();

/** Creates a running bot and a crashed one, and lists all pages. */
export async function allPages({ client }: Fixture): Promise<PageRow[]> {
  const { id } = await client.createBot({ ...goodBot, startup_command: 'node echo' });
  const input = { ...goodBot, name: 'broken', startup_command: 'node exit 1 after 10' };
  const { id: broken } = await client.createBot(input);
  for (const each of [id, broken]) await client.lifecycle('start', each);
  await until(async () => (await client.bot(broken)).last_exit !== null);
  await until(async () => (await client.bot(id)).status === 'online');
  const bot = new RegExp(`/bots/${id}$`);
  const botTab = (name: string) => ({ name: `bot ${name}`, path: `/bots/${id}/${name}`, sends: button('Restart') });
  return [
    {
      name: 'bots',
      path: '/',
      english: /greeter/,
      portuguese: /greeter/,
      reads: /\/bots\?limit/,
      partly: /\/usage$/,
      sends: (page) => page.getByRole('button', { name: 'Restart: greeter' }).first(),
      typed: (page) => page.getByRole('searchbox'),
      text: 'greeter',
    },
    {
      name: 'new',
      path: '/new',
      english: /receptionist/,
      portuguese: /receptionist/,
      reads: /\/templates$/,
      partly: /\/usage$/,
      prepare: (page) => page.getByRole('radio', { name: /receptionist/ }).check(),
      sends: button('Create and start'),
      typed: field('Name'),
    },
    {
      name: 'console',
      path: `/bots/${id}`,
      english: /^started$/,
      portuguese: /^started$/,
      reads: bot,
      partly: /\/metrics\?range/,
      sends: button('Restart'),
      typed: field('Search log'),
    },
    {
      name: 'broken',
      path: `/bots/${broken}`,
      english: /Exited with code 1|Crash/,
      portuguese: /Falh|Encerrado|código 1/,
      reads: new RegExp(`/bots/${broken}$`),
    },
    { ...botTab('files'), english: /This folder is empty/, portuguese: /Esta pasta está vazia/, reads: /\/files\?/ },
    { ...botTab('env'), english: /Variables/, portuguese: /Variáveis/, reads: bot, partly: /\/runtimes$/ },
    {
      ...botTab('metrics'),
      english: /No data for|Timeline/,
      portuguese: /Ainda não há dados|Linha do tempo/,
      reads: /\/metrics\?range/,
    },
    {
      ...botTab('backups'),
      english: /No backups yet/,
      portuguese: /Ainda não há backups/,
      reads: /\/backups$/,
      partly: /\/schedules$/,
      typed: field('Backup name'),
    },
    { ...botTab('activity'), english: /was created/, portuguese: /was created/, reads: /\/events\?limit/ },
    {
      ...botTab('settings'),
      english: /Delete this bot/,
      portuguese: /Apagar este bot/,
      reads: bot,
      partly: /\/usage$/,
      sends: button('Save'),
      typed: field('Name'),
    },
    {
      name: 'apps',
      path: '/apps',
      english: /No apps yet/,
      portuguese: /Ainda não há apps/,
      reads: /\/apps\?limit/,
      partly: /\/bots\?limit/,
      typed: (page) => page.getByRole('textbox').first(),
    },
    {
      name: 'account',
      path: '/account',
      english: /Administrator/,
      portuguese: /Administrador/,
      reads: /\/auth\/sessions$/,
      typed: (page) => page.locator('input[name=current-password]'),
      sends: (page) => page.locator('form button[type=submit]').first(),
    },
    ...adminPages,
    {
      name: 'unknown',
      path: '/nowhere',
      english: /Page not found/,
      portuguese: /Página não encontrada/,
      reads: null,
    },
  ];
}

const adminPages: PageRow[] = [
  {
    name: 'admin',
    path: '/admin',
    english: /Top consumers/,
    portuguese: /Maiores consumidores/,
    reads: /\/admin\/overview/,
  },
  {
    name: 'admin machine',
    path: '/admin?section=machine',
    english: /Docker and images/,
    portuguese: /Docker e imagens/,
    reads: /\/admin\/health/,
  },
  {
    name: 'admin users',
    path: '/admin?section=users',
    english: /stranger@example.com/,
    portuguese: /stranger@example.com/,
    reads: /\/admin\/users\?/,
    partly: /\/admin\/plans$/,
  },
  {
    name: 'admin plans',
    path: '/admin?section=plans',
    english: /What accounts may use/,
    portuguese: /O que as contas podem usar/,
    reads: /\/admin\/plans$/,
  },
  {
    name: 'admin bots',
    path: '/admin?section=bots',
    english: /All users’ bots/,
    portuguese: /Os bots de todos/,
    reads: /\/admin\/bots\?/,
  },
  {
    name: 'admin settings',
    path: '/admin?section=settings',
    english: /Effective settings/,
    portuguese: /Configurações em vigor/,
    reads: /\/admin\/settings$/,
  },
];
