// Caddy and nginx as they come, in front of one server of this machine, and nginx as that server;
// each with files of its own in a folder of the measurement, and ended with it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { until } from '../until.ts';

/** A server under measurement. */
export interface WebServer extends AsyncDisposable {
  name: string;
  port: number;
  /** All its processes. */
  pids(): number[];
}

/** Answers every request with a kilobyte. */
export async function startBackend(folder: string): Promise<WebServer> {
  const port = await freePort();
  const body = 'x'.repeat(1024);
  const server = `server { listen 127.0.0.1:${port} backlog=4096; location / { return 200 "${body}"; } }`;
  return startNginx(join(folder, 'backend'), { name: 'backend', port, http: server });
}

export async function startNginxProxy(folder: string, backendPort: number): Promise<WebServer> {
  const port = await freePort();
  const http = `
    map $http_upgrade $connection_up { default upgrade; '' ''; }
    upstream backend { server 127.0.0.1:${backendPort}; keepalive 256; }
    server {
      listen 127.0.0.1:${port} backlog=4096;
      location / {
        proxy_pass http://backend;
        proxy_http_version 1.1;
        proxy_buffering off;
        proxy_read_timeout 1h;
        proxy_set_header Connection $connection_up;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme;
      }
    }`;
  return startNginx(join(folder, 'nginx'), { name: 'nginx', port, http });
}

export async function startCaddyProxy(folder: string, backendPort: number): Promise<WebServer> {
  const port = await freePort();
  const directory = join(folder, 'caddy');
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'Caddyfile');
  const transport = 'transport http {\n compression off\n keepalive_idle_conns_per_host 1024\n }';
  const proxy = `reverse_proxy 127.0.0.1:${backendPort} {\n flush_interval -1\n ${transport}\n }`;
  const site = `http://:${port} {\n bind 127.0.0.1\n ${proxy}\n}`;
  writeFileSync(file, `{\n admin off\n auto_https off\n log {\n level ERROR\n }\n}\n${site}\n`);
  const environment = { HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
    stdio: 'ignore',
  });
  return serverOf('Caddy', child, port);
}

async function startNginx(
  directory: string,
  { name, port, http }: { name: string; port: number; http: string },
): Promise<WebServer> {
  mkdirSync(directory, { recursive: true });
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = places.map((place) => `${place}_temp_path ${directory}/${place};`).join('\n');
  const file = join(directory, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; user root; worker_processes auto; pid ${directory}/pid;
    error_log stderr crit; events { worker_connections 16384; }
    http { access_log off; keepalive_requests 1000000; ${temporary} ${http} }`,
  );
  const child = spawn('/usr/sbin/nginx', ['-p', directory, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return serverOf(name, child, port);
}

async function serverOf(name: string, child: ChildProcess, port: number): Promise<WebServer> {
  const server: WebServer = {
    name,
    port,
    pids: () => [child.pid ?? 0, ...childrenOf(child.pid ?? 0)],
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      // The workers of nginx end with it only when it ends well.
      const workers = childrenOf(child.pid ?? 0);
      child.kill('SIGKILL');
      for (const pid of workers) process.kill(pid, 'SIGKILL');
      await gone;
    },
  };
  await until(`${name} listens`, async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    return listens(port);
  });
  return server;
}

/** Of its first thread, which is the only one that nginx has. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
