// Makes a bot in three steps: the bot, its files, its start. A step that fails keeps what came before it, and the next try goes
// on from there.
import type { CreateBotInput, CreatedBotData } from '@botel/contract/bots';
import { ApiError, unwrap } from '@botel/contract/client';
import { call, create, fetchRaw } from '../api/calls.ts';
import type { DroppedFile } from '../files/drop-filter.ts';

export type Source =
  | { kind: 'template'; id: string }
  | { kind: 'files'; files: readonly DroppedFile[] }
  | { kind: 'archive'; archive: File };

export type Step = 'create' | 'files' | 'start';

/** What was reached. */
export interface Progress {
  botId: string | null;
  hasFiles: boolean;
}

/** Resolves with the bot's id; `report` is told what begins, and where a next try would go on. Rejects with ApiError. */
export async function makeBot(
  input: CreateBotInput,
  source: Source,
  from: Progress,
  report: (step: Step, reached: Progress) => void,
): Promise<string> {
  report('create', from);
  const botId = from.botId ?? (await create<CreatedBotData>('/bots/create', input)).data.id;
  report('files', { botId, hasFiles: from.hasFiles });
  if (!from.hasFiles) await putFiles(botId, source);
  report('start', { botId, hasFiles: true });
  await call('POST', '/bots/start', { bot_id: botId }).catch(startedAlready);
  return botId;
}

function startedAlready(error: unknown): void {
  if (error instanceof ApiError && ['bot_already_online', 'bot_already_starting'].includes(error.code)) return;
  throw error;
}

async function putFiles(botId: string, source: Source): Promise<void> {
  if (source.kind === 'template') {
    await call('POST', `/bots/${botId}/files/template`, { template_id: source.id });
    return;
  }
  if (source.kind === 'archive') return send(botId, `?extract=${formatOf(source.archive.name)}`, source.archive);
  if (source.files.length === 0) return;
  const form = new FormData();
  for (const { path, file } of source.files) form.append('file', file, path);
  await send(botId, '', form);
}

async function send(botId: string, query: string, body: FormData | File): Promise<void> {
  const headers: Record<string, string> = body instanceof File ? { 'Content-Type': 'application/octet-stream' } : {};
  await unwrap(await fetchRaw('POST', `/bots/${botId}/files/upload${query}`, { body, headers }));
}

/** How an archive of this name is unpacked; null = it is none. */
export function formatOf(name: string): 'zip' | 'tar' | 'tar.gz' | null {
  if (/\.zip$/i.test(name)) return 'zip';
  if (/\.(tar\.gz|tgz)$/i.test(name)) return 'tar.gz';
  return /\.tar$/i.test(name) ? 'tar' : null;
}
