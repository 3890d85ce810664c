// The logs of bots: their output and lines of Botel itself.
import { decodeLine, type LogText } from '../domain/log-line.ts';
import { LineStore } from './line-store.ts';

export class LogStore extends LineStore<LogText> {
  /** Stores one line of Botel about a run. */
  system(botId: string, run: number, text: string): Promise<void> {
    const ts = new Date(this.now()).toISOString();
    return this.append(botId, [{ ts, run, stream: 'system', text, partial: false }]);
  }

  /** The newest `count` lines that the program itself wrote in a run, oldest first. */
  async lastLines(botId: string, run: number, count: number): Promise<string[]> {
    const texts: string[] = [];
    for await (const lines of this.pagesBefore(botId, {})) {
      for (const line of lines) {
        const record = decodeLine(line);
        if (record.run < run || texts.length === count) return texts.reverse();
        if (record.run === run && 'text' in record && record.stream !== 'system') texts.push(record.text);
      }
    }
    return texts.reverse();
  }
}
