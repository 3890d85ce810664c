// The admin page, and the sessions and password of an account.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { PlanListData, UserListData } from '@botel/contract/admin';
import { BotelClient } from '@botel/contract/client';
import { adminEmail, adminPassword, goodBot } from '../../packages/server/test/support/fixture.ts';
import { assertAccessible, startBrowser } from './fixture.ts';
import { keyboardOn } from './hands.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { client, stranger, url } = fixture;
const users = async () => (await client.call<UserListData>('GET', '/admin/users')).data.users;

describe('the admin page', () => {
  test('a plan is made and given to a new account, which can sign in', async () => {
    await using tab = await fixture.openTab('/admin?section=plans');
    const { page } = tab;
    await page.getByRole('button', { name: 'New plan' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name').fill('Small');
    await form.getByLabel('Memory (MB)').fill('512');
    await assertAccessible(page);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Plan "Small" was created').waitFor();
    await page.getByRole('link', { name: 'Users' }).click();
    await page.getByRole('button', { name: 'New user' }).click();
    await form.getByLabel('Email').fill('guest@example.com');
    await form.getByLabel('Password', { exact: true }).fill('a long password');
    const { plans } = (await client.call<PlanListData>('GET', '/admin/plans')).data;
    await form.getByLabel('Plan').selectOption(plans.find(({ name }) => name === 'Small')?.id ?? '');
    await assertAccessible(page);
    await form.getByRole('button', { name: 'New user' }).click();
    await page.getByText('guest@example.com', { exact: true }).waitFor();
    const guest = new BotelClient(url);
    await guest.login('guest@example.com', 'a long password');
    assert.equal((await guest.usage()).memory.limit_mb, 512);
  });

  test('what the server refuses stands beside the field', async () => {
    await using tab = await fixture.openTab('/admin?section=users');
    const { page } = tab;
    await page.getByRole('button', { name: 'New user' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Email').fill(adminEmail);
    await form.getByLabel('Password', { exact: true }).fill('a long password');
    await form.getByRole('button', { name: 'New user' }).click();
    await form.getByText('Email is already registered').waitFor();
    tab.forgive('409');
  });

  test('an account is suspended after a question, and let in again; nobody suspends itself', async () => {
    await using tab = await fixture.openTab('/admin?section=users');
    const { page } = tab;
    await page.getByRole('button', { name: 'Suspend stranger@example.com', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    const again = page.getByRole('button', { name: 'Unsuspend stranger@example.com' });
    await again.waitFor();
    assert.equal((await users()).find(({ email }) => email.startsWith('stranger'))?.suspended, true);
    await again.click();
    await page.getByRole('button', { name: 'Suspend stranger@example.com', exact: true }).waitFor();
    await stranger.login('stranger@example.com', 'a stranger to them');
    const own = page.getByRole('button', { name: `Suspend ${adminEmail}` });
    assert.equal(await own.getAttribute('aria-disabled'), 'true');
  });

  test('shows the bots of everybody, the parts of the machine, and no secret of the settings', async () => {
    await stranger.createBot({ ...goodBot, name: 'theirs' });
    await using tab = await fixture.openTab('/admin?section=bots');
    const { page } = tab;
    await page.getByText('theirs', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Machine' }).click();
    await page.getByText('Bot firewall').waitFor();
    await page.getByText('BOTEL_ENGINE is fake: bots do not really run').waitFor();
    const [looked] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/admin/doctor')),
      page.getByRole('button', { name: 'Check again' }).click(),
    ]);
    assert.equal(looked.status(), 200);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('BOTEL_PORT', { exact: true }).waitFor();
    assert.ok(!(await page.locator('body').innerText()).includes(adminPassword));
  });

  test('a bot is suspended with a reason, which its owner reads where Start is; then it may run again', async () => {
    const { id } = await client.createBot({ ...goodBot, name: 'nuisance' });
    await using owner = await fixture.openTab(`/bots/${id}`);
    await owner.page.getByRole('button', { name: 'Start', exact: true }).waitFor();
    await using tab = await fixture.openTab('/admin?section=bots');
    const { page } = tab;
    await page.getByRole('button', { name: 'Suspend nuisance', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('sends spam');
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    await page.getByText('Reason: sends spam').waitFor();
    await owner.page.getByText('Reason: sends spam.').waitFor();
    await assertAccessible(owner.page);
    assert.equal(
      await owner.page.getByRole('button', { name: 'Start', exact: true }).getAttribute('aria-disabled'),
      'true',
    );
    await page.getByRole('button', { name: 'Unsuspend nuisance' }).click();
    await page.getByRole('button', { name: 'Suspend nuisance', exact: true }).waitFor();
    await owner.page.getByText('Reason: sends spam').waitFor({ state: 'detached' });
    assert.equal(
      await owner.page.getByRole('button', { name: 'Start', exact: true }).getAttribute('aria-disabled'),
      null,
    );
  });

  test('a link for a new password is passed on and used, with the keyboard, once', async () => {
    await client.call('POST', '/admin/users/create', { email: 'forgot@example.com', password: 'a long password' });
    await using tab = await fixture.openTab('/admin?section=users');
    const { page } = tab;
    const hands = keyboardOn(page);
    await hands.press(page.getByRole('button', { name: 'More actions for forgot@example.com' }));
    await page.getByRole('menuitem', { name: 'Password reset link' }).waitFor();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await hands.press(page.getByRole('button', { name: 'Create link' }));
    const link = await page.getByLabel('Link').inputValue();
    await assertAccessible(page);
    const path = link.slice(`${url}/dashboard`.length);
    {
      await using door = await fixture.openTab(path, { guest: true, width: 360 });
      assert.equal(door.page.url(), `${url}/dashboard/reset`);
      const guest = keyboardOn(door.page);
      await guest.type(door.page.getByLabel('New password', { exact: true }), 'quite another one');
      await assertAccessible(door.page);
      await guest.press(door.page.getByRole('button', { name: 'Set password' }));
      await door.page.getByText('Password changed. You can sign in now.').waitFor();
      await new BotelClient(url).login('forgot@example.com', 'quite another one');
    }
    await using again = await fixture.openTab(path, { guest: true });
    await again.page.getByLabel('New password', { exact: true }).fill('yet another one');
    await again.page.getByRole('button', { name: 'Set password' }).click();
    await again.page.getByText('This code was already used').waitFor();
    again.forgive('403');
  });

  test('an account is deleted once its email is typed', async () => {
    await client.call('POST', '/admin/users/create', { email: 'leaves@example.com', password: 'a long password' });
    await using tab = await fixture.openTab('/admin?section=users');
    const { page } = tab;
    await page.getByRole('button', { name: 'More actions for leaves@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    assert.equal(await remove.getAttribute('aria-disabled'), 'true');
    await page.getByLabel('Type their email to confirm').fill('leaves@example.com');
    await assertAccessible(page);
    await remove.click();
    await page.getByText('leaves@example.com', { exact: true }).waitFor({ state: 'detached' });
    assert.ok(!(await users()).some(({ email }) => email === 'leaves@example.com'));
  });

  test('is none of the others', async () => {
    const { id } = await fixture.server.services.accounts.create('user@example.com', 'a long password', 'user');
    const link = `/login?next=/admin#${fixture.server.services.accounts.makeOneTimeToken(id)}`;
    await using tab = await fixture.openTab(link, { guest: true });
    await tab.page.getByRole('link', { name: 'Account' }).waitFor();
    assert.equal(await tab.page.getByRole('link', { name: 'Admin' }).count(), 0);
    await tab.page.goto(`${url}/dashboard/admin`);
    await tab.page.getByText('You need to be an admin to see this page.').waitFor();
  });
});

describe('the account page', () => {
  test('other sessions are ended; the own one is marked', async () => {
    await client.login(adminEmail, adminPassword);
    await using tab = await fixture.openTab('/account');
    const { page } = tab;
    await page.getByText('This session', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Sign out all others' }).click();
    await page.getByText('All other sessions signed out').waitFor();
    await assert.rejects(client.bots(), { code: 'unauthorized' });
    assert.equal(await page.getByRole('button', { name: /^Sign out (?!all)./ }).count(), 0);
    await client.login(adminEmail, adminPassword);
  });

  test('a wrong password is said; the right one changes it', async () => {
    await using tab = await fixture.openTab('/account');
    const { page } = tab;
    const change = page.getByRole('button', { name: 'Change password' });
    await page.getByLabel('Current password').fill('not the password');
    await page.getByLabel('New password').fill('another long password');
    await change.click();
    await page.getByText('Current password is wrong').waitFor();
    tab.forgive('401');
    await page.getByLabel('Current password').fill(adminPassword);
    await change.click();
    await page.getByText('Password changed').waitFor();
    await new BotelClient(url).login(adminEmail, 'another long password');
  });
});
