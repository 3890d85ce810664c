// The apps URL of `botel up`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appsUrlFor } from './apps-url.ts';

const local = { appsUrl: 'https://*.apps.localhost', appsDomain: 'apps.localhost', httpsPort: 443, gatewayPort: 8081 };
const publicly = { ...local, appsUrl: 'https://*.apps.example', appsDomain: 'apps.example' };

test('names below localhost are reached at the gateway', () => {
  assert.equal(appsUrlFor(local, false), 'http://*.apps.localhost:8081');
  assert.equal(appsUrlFor({ ...local, gatewayPort: null }, false), 'https://*.apps.localhost');
  assert.equal(appsUrlFor(publicly, false), 'https://*.apps.example');
});

test('behind Caddy its port counts', () => {
  assert.equal(appsUrlFor(local, true), 'https://*.apps.localhost');
  assert.equal(appsUrlFor({ ...publicly, httpsPort: 8443 }, true), 'https://*.apps.example:8443');
});

test('what the operator set stays', () => {
  const own = { ...local, appsUrl: 'https://*.apps.localhost:9443' };
  assert.equal(appsUrlFor(own, false), own.appsUrl);
  assert.equal(appsUrlFor(own, true), own.appsUrl);
});
