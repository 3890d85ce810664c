// A request for every route of the table, valid in every field: only the caller and the ids decide.
import type { routes } from '../support/all-routes.ts';

type Declaration = (typeof routes)[number]['declaration'];

/** Ids of the things that requests name. */
export interface Things {
  bot: string;
  backup: string;
  schedule: string;
  app: string;
  domain: string;
  session: string;
}

const named = 'bot|backup|schedule|app|domain|session';

const queries: Record<string, string> = {
  'GET /bots/:id/wait': '?status=offline',
  'GET /bots/:id/metrics': '?range=1h',
  'GET /apps/:id/metrics': '?range=1h',
  'GET /bots/:id/files/content': '?path=index.js',
  'GET /bots/:id/files/download': '?path=index.js',
  'PUT /bots/:id/files/content': '?path=index.js',
  'POST /bots/:id/files/upload': '?path=index.js',
};

const bodies: Record<string, object> = {
  'POST /bots/:id/files/delete': { paths: ['index.js'] },
  'POST /bots/:id/files/mkdir': { path: 'folder' },
  'POST /bots/:id/files/move': { from: 'index.js', to: 'moved.js' },
  'POST /bots/:id/files/copy': { from: 'index.js', to: 'copied.js' },
  'POST /bots/:id/files/compress': { paths: ['index.js'], to: 'all.zip' },
  'POST /bots/:id/files/extract': { path: 'all.zip' },
  'POST /bots/:id/files/template': { template_id: 'nodejs' },
  'PUT /bots/:id/env': { environment: { A: '1' } },
  'POST /bots/:id/backups': { name: 'taken' },
  'POST /bots/:id/schedules': { name: 'taken', cron: '* * * * *', action: 'kill' },
  'POST /bots/env/set': { set: { A: '1' } },
  'POST /bots/input': { text: 'x' },
  'POST /bots/update': { name: 'taken-over' },
  'POST /bots/delete': { force: true },
  'POST /bots/create': { name: 'made', language: 'nodejs', memory: 128, startup_command: 'node index.js' },
  'POST /bots/create-from-backup': { name: 'made', memory: 128 },
  'POST /backups/lock': { locked: true },
  'POST /schedules/update': { name: 'taken-over' },
  'POST /apps/create': { name: 'made-here' },
  'POST /apps/update': { name: 'taken-over' },
  'POST /domains/create': { hostname: 'www.example.com' },
  'POST /auth/password': { current_password: 'x', new_password: 'a long password' },
  'POST /admin/users/create': { email: 'made@example.com', password: 'a long password' },
  'POST /admin/users/update': { user_id: '00000000-0000-4000-8000-000000000000', role: 'user' },
  'POST /admin/users/suspend': { user_id: '00000000-0000-4000-8000-000000000000', suspended: true },
  'POST /admin/users/reset': { user_id: '00000000-0000-4000-8000-000000000000' },
  'POST /admin/users/delete': { user_id: '00000000-0000-4000-8000-000000000000' },
  'POST /admin/bots/suspend': { bot_id: '00000000-0000-4000-8000-000000000000', suspended: true },
  'POST /admin/plans/save': { name: 'Made', memory_mb: 512, bots: 1, disk_mb: 64, apps: 0, upload_limit_mb: 1 },
  'POST /admin/plans/delete': { plan_id: 'none' },
  'POST /auth/login': { email: 'nobody@example.com', password: 'x' },
  'POST /auth/one-time': { token: 'x' },
  'POST /auth/reset': { code: 'x', new_password: 'a long password' },
  'POST /auth/register': { email: 'nobody@example.com', password: 'a long password' },
  'POST /setup': { token: 'x', email: 'nobody@example.com', password: 'a long password' },
};

interface RightRequest {
  line: string;
  body: object | string | undefined;
  headers: Record<string, string>;
}

/** Names of the fields of a route's JSON body. */
export function fieldsOf({ body }: Declaration): string[] {
  return typeof body === 'object' && body !== null && 'shape' in body ? Object.keys(body.shape as object) : [];
}

/** The caller's things that a route names in its path and body. Admins' routes name everybody's. */
export function thingsOf(declaration: Declaration): (keyof Things)[] {
  if (declaration.scope === 'admin') return [];
  const inPath = new RegExp(`^/(${named})s/:id`).exec(declaration.url)?.[1];
  const inBody = fieldsOf(declaration).flatMap((field) => new RegExp(`^(${named})_id$`).exec(field)?.[1] ?? []);
  return [...(inPath ? [inPath] : []), ...inBody] as (keyof Things)[];
}

/** `line` and `body` are what `send` takes. Throws if a route names things in an unknown way. */
export function rightRequest(declaration: Declaration, ids: Things): RightRequest {
  const { method, url, bodyKind } = declaration;
  const key = `${method} ${url}`;
  const [thing] = new RegExp(`^/(${named})s/:id`).exec(url)?.slice(1) ?? [];
  const path = thing ? url.replace(':id', ids[thing as keyof Things]) : url.replace(':name', 'some-name');
  if (path.includes('/:')) throw new Error(`test/api/valid-inputs.ts does not know what ${key} names`);
  const line = `${method} ${path}${queries[key] ?? ''}`;
  if (method === 'GET') return { line, body: undefined, headers: {} };
  if (bodyKind === 'raw') return { line, body: 'text', headers: { 'Content-Type': 'application/octet-stream' } };
  const fields = thingsOf(declaration).map((each) => [`${each}_id`, ids[each]]);
  return { line, body: { ...bodies[key], ...Object.fromEntries(thing ? [] : fields) }, headers: {} };
}
