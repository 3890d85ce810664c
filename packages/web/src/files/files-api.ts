// The file calls of a bot. Paths are relative to its home; '' is the home itself.
import { unwrap } from '@botel/contract/client';
import type { FileEntryData, FileListData, WrittenFileData } from '@botel/contract/files';
import { call, fetchRaw, read } from '../api/calls.ts';

const pageEntries = 500;

export type FileEntry = FileEntryData;

/** A file as loaded; `etag` identifies the version. */
export interface FileContent {
  bytes: Uint8Array<ArrayBuffer>;
  etag: string;
}

function addressOf(botId: string, verb: string, path: string): string {
  return `/bots/${botId}/files/${verb}?path=${encodeURIComponent(path)}`;
}

export function listFolder(
  botId: string,
  path: string,
  cursor: string | null,
  signal?: AbortSignal,
): Promise<FileListData> {
  const from = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  return read(`/bots/${botId}/files?path=${encodeURIComponent(path)}&limit=${pageEntries}${from}`, signal);
}

/** null = it has more than `most` bytes, of which none are read then. */
export async function readFile(botId: string, path: string, maxBytes: number): Promise<FileContent | null> {
  const response = await fetchRaw('GET', addressOf(botId, 'content', path));
  if (!response.ok) await unwrap(response);
  if (Number(response.headers.get('Content-Length')) > maxBytes) {
    await response.body?.cancel();
    return null;
  }
  return { bytes: new Uint8Array(await response.arrayBuffer()), etag: response.headers.get('ETag') ?? '' };
}

/**
 * Writes a file if it still is the version `etag`; null = only if there is none. Rejects with
 * `file_changed` or `already_exists`.
 */
export async function writeFile(
  botId: string,
  path: string,
  text: string,
  etag: string | null,
): Promise<WrittenFileData> {
  const guard: Record<string, string> = etag === null ? { 'If-None-Match': '*' } : { 'If-Match': etag };
  const response = await fetchRaw('PUT', addressOf(botId, 'content', path), {
    body: text,
    headers: { 'Content-Type': 'application/octet-stream', ...guard },
  });
  return (await unwrap<WrittenFileData>(response)).data;
}

export function downloadAddress(botId: string, path: string): string {
  return addressOf(botId, 'download', path);
}

export function uploadAddress(botId: string, folder: string, options: { extract: boolean; mirror: boolean }): string {
  const extract = options.extract ? '&extract=zip' : '';
  return `${addressOf(botId, 'upload', folder)}${extract}&mirror=${options.mirror}`;
}

export function makeFolder(botId: string, path: string): Promise<unknown> {
  return call('POST', `/bots/${botId}/files/mkdir`, { path });
}

export function moveFile(botId: string, from: string, to: string): Promise<unknown> {
  return call('POST', `/bots/${botId}/files/move`, { from, to });
}

/** `atEnd`: the page is closing; the call must outlive it. */
export async function deleteFiles(botId: string, paths: string[], atEnd = false): Promise<void> {
  const response = await fetchRaw('POST', `/bots/${botId}/files/delete`, {
    body: JSON.stringify({ paths }),
    headers: { 'Content-Type': 'application/json' },
    keepalive: atEnd,
  });
  await unwrap(response);
}
