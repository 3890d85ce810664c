// Headers that tell browsers what not to do with answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFixture } from '../support/fixture.ts';

const strict = 'strict-transport-security';

test('answers are neither stored nor embedded elsewhere, whoever reads what', async () => {
  await using fixture = await startFixture();
  for (const [client, path] of [
    [fixture.client, '/auth/me'],
    [fixture.client, '/bots'],
    [fixture.client, '/bots/unknown'],
    [fixture.guest, '/bots'],
    [fixture.guest, '/health'],
    [fixture.guest, '/nowhere'],
    [fixture.guest, '/%zz'],
  ] as const) {
    const { headers } = await client.fetch('GET', path);
    assert.equal(headers.get('cache-control'), 'no-store', path);
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path);
    assert.equal(headers.get(strict), null, path);
  }
});

test('browsers stay with https when the public URL is https, except on localhost', async () => {
  for (const [publicUrl, expected] of [
    ['https://botel.example.com', 'max-age=31536000'],
    ['https://localhost:8443', null],
    ['http://botel.example.com', null],
  ] as const) {
    await using fixture = await startFixture({ BOTEL_PUBLIC_URL: publicUrl });
    for (const path of ['/health', '/dashboard/', '/bots'])
      assert.equal((await fixture.guest.fetch('GET', path)).headers.get(strict), expected, publicUrl + path);
  }
});
