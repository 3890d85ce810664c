// The screenshots of the README: the console of a working bot in both themes, with live metrics.
// docs/images holds copies of them.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { keepPicture, startBrowser } from './fixture.ts';
import { startLogSource } from './log-source.ts';

const fixture = await startBrowser();
after(() => fixture[Symbol.asyncDispose]());
const { machine, server } = fixture;
const mebibyte = 1024 * 1024;

/** The output of a receptionist that has been at work for a while. */
function* evening(): Generator<[text: string, stream?: 'stderr']> {
  const guest = (number: number) => {
    const room = 100 * (1 + (number % 4)) + (number % 12) + 1;
    return `\x1b[36mguest ${number}\x1b[0m checked in, room \x1b[1m${room}\x1b[0m (59 MB in use)`;
  };
  yield ['Good evening! The reception is open: run number 1.'];
  for (let number = 1; number <= 7; number++) yield [guest(number)];
  yield ['[warn] the key of room 303 was not given back'];
  for (let number = 8; number <= 11; number++) yield [guest(number)];
  yield ['[ERROR] the lift stands still, see https://example.com/lifts', 'stderr'];
  yield ['{"level":30,"msg":"a line of JSON is laid out with one press of a button","room":404}'];
  for (let number = 12; number <= 14; number++) yield [guest(number)];
}

test('the console shows lines and numbers as they come', async () => {
  const { botId, write } = await startLogSource(fixture, 'receptionist');
  const container = machine.containers().find((each) => each.botId === botId);
  assert.ok(container);
  await using tab = await fixture.openTab(`/bots/${botId}`);
  const { page } = tab;
  for (const [text, stream] of evening()) write(text, stream);
  await page.getByText('guest 14').waitFor();
  container.memoryPeakBytes = 90 * mebibyte;
  await server.runTask('measure-disks');
  for (const [step, memoryMb] of [52, 71, 64].entries()) {
    container.usage = {
      cpuMicros: step * step * 400_000,
      memoryBytes: memoryMb * mebibyte,
      pids: 11,
      netRxBytes: step * 51_200,
      netTxBytes: step * 20_480,
    };
    await server.runTask('collect-usage');
    await page.getByText(new RegExp(`^${memoryMb} MB of`)).waitFor();
  }
  await keepPicture(page, 'console-light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme=dark]').waitFor();
  await keepPicture(page, 'console-dark');
});
