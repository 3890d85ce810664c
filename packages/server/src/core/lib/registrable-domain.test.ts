// Names that browsers treat as the same site.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registrableDomain } from './registrable-domain.ts';

test('a site is what is below one registered name', () => {
  const sites: [hostname: string, site: string][] = [
    ['botel.example.com', 'example.com'],
    ['*.apps.example.com', 'example.com'],
    ['example.com', 'example.com'],
    ['painel.exemplo.com.br', 'exemplo.com.br'],
    ['apps.exemplo.com.br', 'exemplo.com.br'],
    ['outro.com.br', 'outro.com.br'],
    ['a.b.example.co.uk', 'example.co.uk'],
    ['co.uk', 'co.uk'],
    ['a.co.example.net', 'example.net'],
    ['a.github.io', 'a.github.io'],
    ['b.a.github.io', 'a.github.io'],
    ['a.b.co.id', 'b.co.id'],
    ['localhost', 'localhost'],
    ['192.0.2.7', '192.0.2.7'],
    ['[2001:db8::1]', '[2001:db8::1]'],
  ];
  for (const [hostname, site] of sites) assert.equal(registrableDomain(hostname), site, hostname);
});
