/** A pattern's characters, one after the other. */
import { PatternError } from './patternError.ts';

/** A place in a pattern. */
export class PatternReader {
  readonly #characters: readonly string[];
  at = 0;

  constructor(pattern: string) {
    this.#characters = [...pattern];
  }

  get atEnd(): boolean {
    return this.at >= this.#characters.length;
  }

  /** The next character, which stays; the empty text at the end. */
  peek(ahead = 0): string {
    return this.#characters[this.at + ahead] ?? '';
  }

  next(): string {
    if (this.atEnd) throw new PatternError('the pattern ends too early');
    return this.#characters[this.at++]!;
  }

  /** Whether the text stands here; then it is passed over. */
  take(text: string): boolean {
    if (!this.looksAt(text)) return false;
    this.at += [...text].length;
    return true;
  }

  looksAt(text: string): boolean {
    return [...text].every((character, i) => this.peek(i) === character);
  }

  /** The characters that follow and match, at most so many. */
  takeWhile(test: RegExp, most = Number.POSITIVE_INFINITY): string {
    let taken = '';
    for (let count = 0; count < most && !this.atEnd && test.test(this.peek()); count++) taken += this.next();
    return taken;
  }

  /** What stands before a character, which is passed over. Throws PatternError without one. */
  until(end: string): string {
    let text = '';
    while (!this.take(end)) text += this.next();
    return text;
  }
}
