// The last lines of a build's output, without colours and the engine's own progress lines.
import { stripVTControlCharacters } from 'node:util';

const keptCharacters = 8_192;
const keptLines = 8;
const steps = /^(Step \d+\/\d+ : |---> |Removing intermediate container )/;

export class BuildOutput {
  #text = '';

  /** Adds a piece as it was printed: a line may span several. */
  add(piece: string): void {
    this.#text = (this.#text + piece).slice(-keptCharacters);
  }

  /** The last lines, and the engine's error without the repetition of the whole command. */
  endWith(error: string): string {
    const lines = stripVTControlCharacters(this.#text)
      .split('\n')
      .map((line) => line.trim());
    const kept = lines.filter((line) => line !== '' && !steps.test(line)).slice(-keptLines);
    const short = error.replace(
      /^The command '.*' returned a non-zero code: /s,
      'A step of its build ended with code ',
    );
    return [...kept, short].join('\n');
  }
}
