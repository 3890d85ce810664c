// What holds for every page of the dashboard: no fault that axe finds in either theme, no sideways scrolling on a phone, and
// words in both languages.
import { after, describe, test } from 'node:test';
import { goodBot, until } from '../../packages/server/test/fixture.ts';
import { assertAccessible, assertFits, keepPicture, startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client } = fixture;

const { id } = await client.createBot({ ...goodBot, startup_command: 'node echo' });
const { id: broken } = await client.createBot({ ...goodBot, name: 'broken', startup_command: 'node exit 1 after 10' });
for (const each of [id, broken]) await client.lifecycle('start', each);
await until(async () => (await client.bot(broken)).last_exit !== null);

/** Paths, each with a word of the page when it is there, in English and in Portuguese. */
const pages: [path: string, english: RegExp, portuguese: RegExp][] = [
  ['/', /Filter by name|greeter/, /Filtrar por nome|greeter/],
  ['/new', /Start from/, /Começar com/],
  [`/bots/${id}`, /Console/, /Console/],
  [`/bots/${id}/files`, /Upload|Files/, /Enviar|Arquivos/],
  [`/bots/${id}/env`, /Variables/, /Variáveis/],
  [`/bots/${id}/metrics`, /no numbers/, /Ainda não há números/],
  [`/bots/${id}/backups`, /No backups yet/, /Ainda não há backups/],
  [`/bots/${id}/activity`, /was created/, /was created/],
  [`/bots/${id}/settings`, /Delete this bot/, /Apagar este bot/],
  [`/bots/${broken}`, /Exited with code 1|Ended|exit/i, /Quebr/],
  ['/apps', /No apps yet/, /Ainda não há apps/],
  ['/account', /Guest of this server|Looks after/, /Cuida deste servidor/],
  ['/admin', /Who uses most/, /Quem usa mais/],
  ['/admin?section=machine', /Docker and images/, /Docker e imagens/],
  ['/admin?section=users', /stranger@example.com/, /stranger@example.com/],
  ['/admin?section=plans', /What accounts may use/, /O que as contas podem usar/],
  ['/admin?section=bots', /Of everybody/, /De todos/],
  ['/admin?section=settings', /As they count now/, /Como valem agora/],
  ['/nowhere', /There is no such page/, /Esta página não existe/],
];

for (const [path, english, portuguese] of pages) {
  const name = path.replace(id, 'bot').replace(broken, 'broken');
  describe(name, () => {
    for (const theme of ['light', 'dark'] as const)
      test(`has no fault in the ${theme} theme`, async () => {
        await using visit = await fixture.visit(path, { theme });
        await visit.page.getByText(english).first().waitFor();
        await assertAccessible(visit.page);
        await keepPicture(visit.page, `${name}-${theme}`);
      });

    test('fits a phone, in Portuguese', async () => {
      await using visit = await fixture.visit(path, { width: 320, locale: 'pt-BR' });
      await visit.page.getByText(portuguese).first().waitFor();
      await assertFits(visit.page);
      await assertAccessible(visit.page);
      await keepPicture(visit.page, `${name}-phone`);
    });
  });
}

describe('pages for people who are not in yet', () => {
  for (const [path, word] of [
    ['/login', 'Sign in'],
    ['/setup', 'Welcome to Botel'],
    ['/reset', 'A new password'],
  ] as const)
    test(path, async () => {
      await using visit = await fixture.visit(path, { guest: true, width: 320 });
      await visit.page.getByRole('heading', { name: word }).waitFor();
      await assertFits(visit.page);
      await assertAccessible(visit.page);
    });
});
