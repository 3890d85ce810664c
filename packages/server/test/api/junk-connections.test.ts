// Junk: 10,000 connections that say nothing, or nonsense, or send bodies that never end. Memory
// stays flat, and who comes with a right request is served meanwhile.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BotelClient } from '@botel/contract/client';
import { adminEmail, adminPassword } from '../support/fixture.ts';
import { serve } from '../support/served-process.ts';

/** A bit less than what a process may have open where that is little. */
const filesLimit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 1024);
const junkConnections = Math.min(10_000, filesLimit - 500);
const batch = 500;

function rssMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** What a sender of junk begins with, by turns. */
const openings = [
  '',
  '',
  'POST /auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{',
  'GET /bots HTTP/1.1\r\nHost: x\r\nX-Slow: ',
  '\u0000\u0001\u0002 nonsense',
  `GET /${'x'.repeat(9000)}`,
];

function openJunk(port: number, sockets: Set<Socket>, opening: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  socket.on('error', () => {}).resume();
  socket.on('close', () => sockets.delete(socket));
  return new Promise((resolve) => {
    socket.once('close', resolve);
    socket.once('connect', () => {
      if (opening !== '') socket.write(opening);
      resolve();
    });
  });
}

test(`${junkConnections} junk connections leave memory flat and others served`, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'botel-junk-'));
  const server = await serve({
    BOTEL_PORT: '0',
    BOTEL_DATA_DIR: directory,
    BOTEL_ENGINE: 'fake',
    BOTEL_ADMIN_EMAIL: adminEmail,
    BOTEL_ADMIN_PASSWORD: adminPassword,
    BOTEL_LOG_LEVEL: 'silent',
    // So little that garbage has to go at once, and a kilobyte that stayed of each connection would
    // be seen.
    NODE_OPTIONS: '--max-old-space-size=80',
    BOTEL_MAX_CONNECTIONS: '1000',
    BOTEL_CONNECTIONS_PER_ADDRESS: '1000000',
  });
  const sockets = new Set<Socket>();
  try {
    const client = new BotelClient(server.url);
    await client.login(adminEmail, adminPassword);
    const stream = await client.fetch('GET', '/events/stream');
    assert.equal(stream.status, 200);
    const port = Number(new URL(server.url).port);
    // The first thousand is what the server may hold; from then on nothing may be added.
    let before = 0;
    for (let opened = 0; opened < junkConnections; opened += batch) {
      await Promise.all(
        Array.from({ length: batch }, (_, n) => openJunk(port, sockets, openings[n % openings.length] ?? '')),
      );
      assert.equal((await client.call<{ user: object }>('GET', '/auth/me')).success, true);
      if (opened < 2000) before = Math.max(before, rssMb(server.pid));
    }
    const after = rssMb(server.pid);
    t.diagnostic(`resident: ${before.toFixed()} MB after 2,000, ${after.toFixed()} MB after ${junkConnections}`);
    assert.ok(after < before + 80, `${before.toFixed()} MB, then ${after.toFixed()} MB`);
    // Neither was the one who was there before pushed out.
    const reader = stream.body?.getReader();
    assert.equal((await reader?.read())?.done, false);
    await reader?.cancel();
    assert.equal(server.isAlive(), true);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.end('SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  }
});
