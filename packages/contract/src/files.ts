// Files of a bot: what a client sends and what it gets.
import { z } from 'zod';
import { bool, cursor, oneOf, queryBool, queryNumber } from './input.ts';
import { archiveFormats, fileTypes } from './vocabulary.ts';

const pathMaxBytes = 4096;
const partMaxBytes = 255;

/** Paths are relative to the bot's home; the server checks them again where it opens files. */
export function isFilePath(path: string): boolean {
  const bytes = (text: string) => new TextEncoder().encode(text).length;
  if (!path.isWellFormed() || bytes(path) > pathMaxBytes) return false;
  return path.split('/').every(
    (part) =>
      // U+FFFD is shown for bytes that are no text: it names nothing.
      part !== '' && part !== '.' && part !== '..' && !/[\0\uFFFD]/.test(part) && bytes(part) <= partMaxBytes,
  );
}

const text = z.string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') });
const path = text.refine(isFilePath, 'is not valid').meta({ minLength: 1, maxLength: pathMaxBytes });
/** '' is the home itself. */
const folderPath = text
  .refine((value) => value === '' || isFilePath(value), 'is not valid')
  .meta({ maxLength: pathMaxBytes });

export const listFilesQuery = z.object({
  path: folderPath.optional().transform((value) => value ?? ''),
  limit: queryNumber(1, 1000, 50),
  cursor: cursor(),
});

export const filePathQuery = z.object({ path });

export const downloadQuery = z.object({ path: folderPath.optional().transform((value) => value ?? '') });

/** Without `extract` the body is one file, or a form of files. `mirror` deletes what is not
 * sent. */
export const uploadQuery = z.object({
  path: folderPath.optional().transform((value) => value ?? ''),
  extract: oneOf(archiveFormats).optional(),
  overwrite: queryBool(true),
  mirror: queryBool(false),
});

const paths = z
  .array(path, { error: (issue) => (issue.input === undefined ? 'is required' : 'must be a list') })
  .refine((all) => all.length >= 1 && all.length <= 1000, 'must hold between 1 and 1000 paths')
  .meta({ minItems: 1, maxItems: 1000 });

export const deleteFilesBody = z.object({ paths });

export const makeFolderBody = z.object({ path });

/** Of a move or a copy: nothing may be at `to`. */
export const fromToBody = z.object({ from: path, to: path });

/** The end of `to` says which kind of archive it becomes: .zip, .tar.gz or .tgz. */
export const compressBody = z.object({ paths, to: path });

/** The end of `path` says which kind of archive it is. */
export const extractBody = z.object({
  path,
  to: folderPath.optional().transform((value) => value ?? ''),
  overwrite: bool()
    .optional()
    .transform((value) => value ?? true),
});

export const fileEntry = z.strictObject({
  name: z.string(),
  type: z.enum(fileTypes),
  size_bytes: z.number(),
  mode: z.number(),
  modified_at: z.string(),
});

export const fileList = z.strictObject({
  path: z.string(),
  entries: z.array(fileEntry),
  count: z.number(),
  next_cursor: z.string().nullable(),
});

export const writtenFile = z.strictObject({
  path: z.string(),
  size_bytes: z.number(),
  modified_at: z.string(),
  etag: z.string(),
});

export const uploadedFiles = z.strictObject({
  files_written: z.number(),
  bytes_written: z.number(),
  files_deleted: z.number(),
});

/** How many paths were deleted, made or moved; of copies and archives how many files and links they
 * hold. */
export const fileCount = z.strictObject({ count: z.number() });

export type FileEntryData = z.infer<typeof fileEntry>;
export type FileListData = z.infer<typeof fileList>;
export type WrittenFileData = z.infer<typeof writtenFile>;
export type UploadedFilesData = z.infer<typeof uploadedFiles>;
