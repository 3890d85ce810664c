// A file that is sent beside others.

/** `name` may hold folders and is not checked yet; `content` is read once, in turn. */
export interface SentFile {
  name: string;
  content: AsyncIterable<Buffer>;
}
