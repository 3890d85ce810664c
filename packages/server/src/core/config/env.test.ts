// What child programs inherit once the settings are read.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const directory = mkdtempSync(join(tmpdir(), 'botel-env-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('child programs inherit neither settings nor secrets; the settings are those of environment and file', () => {
  writeFileSync(join(directory, '.env'), 'BOTEL_ADMIN_PASSWORD=from the file\nBOTEL_ADMIN_EMAIL=file@example.com\n');
  // In a process of its own, whose environment may change.
  const script = `
    import { processEnvironment } from ${JSON.stringify(import.meta.resolve('./env.ts'))};
    import { runProgram } from ${JSON.stringify(import.meta.resolve('../lib/program.ts'))};
    const { BOTEL_ADMIN_PASSWORD, BOTEL_ADMIN_EMAIL } = processEnvironment(process.argv[1]);
    const inherited = await runProgram('env', []);
    console.log(JSON.stringify({ BOTEL_ADMIN_PASSWORD, BOTEL_ADMIN_EMAIL, inherited }));`;
  const own = { PATH: '/usr/bin:/bin', HOME: '/root', https_proxy: 'http://proxy.example' };
  const secrets = { BOTEL_ADMIN_PASSWORD: 'canary', NPM_TOKEN: 'canary', AWS_SECRET_ACCESS_KEY: 'canary' };
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script, directory], {
    env: { ...own, ...secrets },
    encoding: 'utf8',
  });
  assert.deepEqual(JSON.parse(output), {
    BOTEL_ADMIN_PASSWORD: 'canary',
    BOTEL_ADMIN_EMAIL: 'file@example.com',
    inherited: Object.entries(own).map(([name, value]) => `${name}=${value}`),
  });
});
