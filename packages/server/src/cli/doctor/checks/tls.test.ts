// Findings about certificates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeServed, type Served } from './tls.ts';

const now = Date.parse('2026-05-01T00:00:00Z');
const good: Served = { validTo: Date.parse('2026-07-15T10:00:00Z'), isTrusted: true, fault: '' };

function said(served: Served | null): string {
  const { state, text } = judgeServed('botel.example.com', 443, served, now);
  return `${state} ${text}`;
}

test('served well, by an authority of its own, near its end, after it, or not at all', () => {
  assert.equal(said(good), 'ok botel.example.com is served with a certificate until 2026-07-15');
  assert.equal(
    said({ ...good, isTrusted: false, fault: 'SELF_SIGNED_CERT_IN_CHAIN' }),
    'warn this machine does not trust the certificate of botel.example.com: SELF_SIGNED_CERT_IN_CHAIN',
  );
  assert.equal(
    said({ ...good, validTo: Date.parse('2026-05-04T00:00:00Z') }),
    'warn the certificate of botel.example.com expires on 2026-05-04',
  );
  assert.equal(
    said({ ...good, validTo: Date.parse('2026-04-30T00:00:00Z') }),
    'fix the certificate of botel.example.com expired on 2026-04-30',
  );
  assert.equal(said(null), 'warn nothing serves https for botel.example.com on port 443 of this machine');
});
