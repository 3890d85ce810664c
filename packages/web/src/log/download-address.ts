// The URL from which the server sends part of a bot's log as a file. Pure.

/** Empty texts are open ends. Times as the reader's clock shows them: `2026-01-31T12:00`. */
export interface LogPart {
  run?: string;
  since?: string;
  until?: string;
}

export function downloadAddress(botId: string, { run, since, until }: LogPart, format: 'txt' | 'ndjson'): string {
  const query = new URLSearchParams({ format });
  if (run) query.set('run', run);
  if (since) query.set('since', new Date(since).toISOString());
  if (until) query.set('until', new Date(until).toISOString());
  return `/bots/${botId}/logs/download?${query}`;
}
