// A file sent along with others.

/** `name` may contain folders and is not validated; read `content` once, in order. */
export interface SentFile {
  name: string;
  content: AsyncIterable<Buffer>;
}
