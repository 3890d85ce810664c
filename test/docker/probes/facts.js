// A bot that tells, as one line of JSON, what it finds of its limits from inside, and then listens on its port.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, networkInterfaces, userInfo } from 'node:os';
import { cpuLimit, memoryLimits, pidsLimit } from './cgroup.js';

const interfaces = Object.values(networkInterfaces()).flat();

const facts = {
  ...memoryLimits(),
  cpu: cpuLimit(),
  pids: pidsLimit(),
  openFiles: limitOf('Max open files'),
  coreBytes: limitOf('Max core file size'),
  status: { init: statusOf(1), self: statusOf('self') },
  oomScoreAdj: Number(text('/proc/self/oom_score_adj')),
  writes: Object.fromEntries(
    ['/', '/etc', '/usr', '/usr/local/bin', '/botel', '/var/tmp', '/dev', '/sys/fs/cgroup', '/proc/sys/kernel', '/home'].map(
      (folder) => [folder, refusalOf(() => mkdirSync(`${folder}/probe`))],
    ),
  ),
  passwdWrite: refusalOf(() => writeFileSync('/etc/passwd', 'x', { flag: 'a' })),
  launcherWrite: refusalOf(() => writeFileSync('/botel/launch', 'x', { flag: 'a' })),
  homeWrite: refusalOf(() => writeFileSync('/home/bot/mine', 'x')),
  homeFileUid: statSync('/home/bot/mine').uid,
  tmpRuns: runFrom('/tmp'),
  tmpBytes: sizeOf('/tmp'),
  tmpOptions: optionsOf('/tmp'),
  shmBytes: sizeOf('/dev/shm'),
  rootOptions: optionsOf('/'),
  user: userInfo(),
  home: process.env.HOME,
  directory: process.cwd(),
  hostname: hostname(),
  addresses: interfaces.filter((one) => !one.internal).map(({ family, address }) => ({ family, address })),
  ipv6Disabled: existsSync('/proc/sys/net/ipv6') ? text('/proc/sys/net/ipv6/conf/all/disable_ipv6') : '1',
  processes: readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length,
  devices: readdirSync('/dev').sort(),
  engineSocket: existsSync('/var/run/docker.sock'),
};

createServer((socket) => socket.end('hello')).listen(3000, () => console.log(JSON.stringify(facts)));

function text(path) {
  return readFileSync(path, 'utf8').trim();
}

/** Soft and hard limit of the process. */
function limitOf(name) {
  const line = text('/proc/self/limits').split('\n').find((one) => one.startsWith(name));
  return line.slice(name.length).trim().split(/\s+/).slice(0, 2).map(Number);
}

function statusOf(pid) {
  const fields = text(`/proc/${pid}/status`)
    .split('\n')
    .map((line) => line.split(/:\s*/));
  const wanted = ['Uid', 'Gid', 'Groups', 'CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp'];
  return Object.fromEntries(fields.filter(([name]) => wanted.includes(name)));
}

/** The error's code; null when nothing refused it. */
function refusalOf(act) {
  try {
    act();
    return null;
  } catch (error) {
    return error.code;
  }
}

function runFrom(folder) {
  const path = `${folder}/program`;
  writeFileSync(path, '#!/bin/sh\necho ran\n');
  chmodSync(path, 0o755);
  return execFileSync(path, { encoding: 'utf8' }).trim();
}

function sizeOf(path) {
  const { blocks, bsize } = statfsSync(path);
  return blocks * bsize;
}

function optionsOf(path) {
  const mount = text('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, target]) => target === path);
  return mount[3].split(',');
}
