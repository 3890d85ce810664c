// Parts that load on demand: a failure is shown, and nothing reloads on its own.
import { after, test } from 'node:test';
import { startBrowser } from './fixture.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());

const partOfAccount = '**/assets/account-*.js';

test('a missing part is reported, with a button that reloads', async () => {
  await using tab = await fixture.openTab('/');
  const { page } = tab;
  await page.route(partOfAccount, (route) => route.fulfill({ status: 404, body: '' }));
  await page.getByRole('link', { name: 'Account' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'couldn’t be loaded' });
  await notice.waitFor();
  await page.unroute(partOfAccount);
  await notice.getByRole('button', { name: 'Reload' }).click();
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
  for (const part of ['404', 'missing']) tab.forgive(part);
});
