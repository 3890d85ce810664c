// Creates a bot in three steps: the bot, its files, its start. After a failed step the next try
// applies later changes and continues from there.
import type { CreateBotInput, CreatedBotData } from '@botel/contract/bots';
import { ApiError } from '@botel/contract/client';
import { call, create } from '../api/calls.ts';
import { sendUpload } from '../files/send-upload.ts';
import type { OwnFiles } from './own-files.ts';

/** The same object for the same files. */
export type Source = { kind: 'template'; id: string } | { kind: 'own'; files: OwnFiles };

export type Step = 'create' | 'change' | 'files' | 'start';

/**
 * The progress so far; `input` is what the bot was last created or updated with, `source` its
 * files.
 */
export interface Progress {
  botId: string | null;
  input: CreateBotInput | null;
  source: Source | null;
}

/** `part` (0 to 1) of the files was sent; null = unknown. */
export type Report = (step: Step, reached: Progress, part: number | null) => void;

/**
 * Resolves with the bot's id; `report` gets each step and the progress to resume from. Rejects with
 * ApiError.
 */
export async function makeBot(input: CreateBotInput, source: Source, from: Progress, report: Report): Promise<string> {
  const botId = await putBot(input, from, report);
  const reached = { botId, input, source: from.source };
  if (!isSame(from.source, source)) {
    report('files', reached, null);
    await putFiles(botId, source, { mirror: from.source !== null, onPart: (part) => report('files', reached, part) });
  }
  report('start', { botId, input, source }, null);
  await call('POST', '/bots/start', { bot_id: botId }).catch(startedAlready);
  return botId;
}

/** The bot of the last try with later changes, or a new one. */
async function putBot(
  input: CreateBotInput,
  { botId, input: before, source }: Progress,
  report: Report,
): Promise<string> {
  const reached = { botId, input: before, source };
  if (botId !== null && before?.language === input.language) {
    const { settings, environment } = changesBetween(before, input);
    if (settings || environment) report('change', reached, null);
    if (settings) await call('POST', '/bots/update', { bot_id: botId, ...settings });
    if (environment) await call('PUT', `/bots/${botId}/env`, { environment });
    return botId;
  }
  report('create', reached, null);
  // A bot can't change its language: the unstarted one of the last try is replaced.
  if (botId !== null) await call('POST', '/bots/delete', { bot_id: botId });
  report('create', { botId: null, input: null, source: null }, null);
  return (await create<CreatedBotData>('/bots/create', input)).data.id;
}

type Settings = Partial<Pick<CreateBotInput, 'name' | 'memory' | 'startup_command'>>;

/** The updates that turn `before` into `after`; null = none of that kind. */
export function changesBetween(
  before: CreateBotInput,
  after: CreateBotInput,
): { settings: Settings | null; environment: Record<string, unknown> | null } {
  const { name, memory, startup_command } = after;
  const settings: Settings = {
    ...(name !== before.name && { name }),
    ...(memory !== before.memory && { memory }),
    ...(startup_command !== before.startup_command && { startup_command }),
  };
  const sorted = ({ environment = {} }: CreateBotInput) => JSON.stringify(Object.entries(environment).toSorted());
  return {
    settings: Object.keys(settings).length > 0 ? settings : null,
    environment: sorted(before) === sorted(after) ? null : (after.environment ?? {}),
  };
}

function isSame(one: Source | null, other: Source): boolean {
  if (one?.kind === 'template') return other.kind === 'template' && one.id === other.id;
  return one?.kind === 'own' && other.kind === 'own' && one.files === other.files;
}

function startedAlready(error: unknown): void {
  if (error instanceof ApiError && ['bot_already_online', 'bot_already_starting'].includes(error.code)) return;
  throw error;
}

async function putFiles(
  botId: string,
  source: Source,
  { mirror, onPart }: { mirror: boolean; onPart: (part: number) => void },
): Promise<void> {
  if (source.kind === 'template') {
    await call('POST', `/bots/${botId}/files/template`, { template_id: source.id });
    return;
  }
  const { files, archive } = source.files;
  // A `.env` alone became variables.
  if (files.length === 0 && !archive) return;
  const { body, extract } = await source.files.pack();
  const address = `/bots/${botId}/files/upload?extract=${extract}&mirror=${mirror}`;
  await sendUpload({ address, body, onProgress: onPart });
}
