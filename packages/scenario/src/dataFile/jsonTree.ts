import { Double } from 'bson';
import { DataFileError } from './dataFileError.ts';

/** A value that begins at the top of a file. */
export interface TopValue {
  readonly value: unknown;
  /** From 1. */
  readonly line: number;
}

/** Deeper than a BSON document may be. */
const MAX_DEPTH = 220;
const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const TEXT = /"(?:[^"\\\n]|\\.)*"/y;
const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * JSON as a tree that loses nothing of it: objects are Maps, so that keys keep their order whatever they look like; `1` is an int32,
 * `1.0` a Double, and an integer beyond int32 a bigint. `JSON.parse` would make one number of all of them.
 */
export class JsonTree {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    // Some editors begin a file with a mark of its byte order.
    this.#text = text.startsWith('\ufeff') ? text.slice(1) : text;
  }

  /** The values of the file: those of one array, or one after the other, with or without lines between them. @throws DataFileError */
  *values(): Generator<TopValue> {
    this.#skip();
    if (this.#take('[')) yield* this.#items();
    else while (this.#at < this.#text.length) yield this.#top();
    if (this.#at < this.#text.length) this.#fail('the array ends here, and more follows', 'remove what follows it');
  }

  *#items(): Generator<TopValue> {
    if (this.#take(']')) return;
    for (;;) {
      yield this.#top();
      if (this.#take(']')) return;
      if (!this.#take(',')) this.#fail(`expected "," or "]", found ${this.#found()}`);
    }
  }

  #top(): TopValue {
    const line = this.#line();
    return { value: this.#value(1), line };
  }

  #value(depth: number): unknown {
    if (depth > MAX_DEPTH) this.#fail(`documents are nested deeper than ${MAX_DEPTH} levels`);
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#array(depth);
    if (first === '"') return this.#string();
    const number = this.#match(NUMBER);
    if (number !== undefined) return numberOf(number);
    for (const [word, value] of WORDS) if (this.#take(word)) return value;
    return this.#fail(`expected a JSON value, found ${this.#found()}`);
  }

  #object(depth: number): ReadonlyMap<string, unknown> {
    const map = new Map<string, unknown>();
    this.#take('{');
    if (this.#take('}')) return map;
    for (;;) {
      if (this.#text[this.#at] !== '"') this.#fail(`expected a field name in double quotes, found ${this.#found()}`);
      const key = this.#string();
      if (map.has(key)) this.#fail(`the field "${key}" stands twice in one document`, 'remove one of them');
      if (!this.#take(':')) this.#fail(`expected ":" after the field name, found ${this.#found()}`);
      map.set(key, this.#value(depth + 1));
      if (this.#take('}')) return map;
      if (!this.#take(',')) this.#fail(`expected "," or "}", found ${this.#found()}`);
    }
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#take('[');
    if (this.#take(']')) return items;
    for (;;) {
      items.push(this.#value(depth + 1));
      if (this.#take(']')) return items;
      if (!this.#take(',')) this.#fail(`expected "," or "]", found ${this.#found()}`);
    }
  }

  #string(): string {
    const began = this.#at;
    try {
      return JSON.parse(this.#match(TEXT) ?? '') as string;
    } catch {
      this.#at = began;
      return this.#fail(
        'this text does not end on its line, or has an escape or a control character that JSON rejects',
      );
    }
  }

  /** Goes behind a token and the space after it, if it is there. */
  #take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    this.#skip();
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    this.#skip();
    return found;
  }

  #skip(): void {
    SPACE.lastIndex = this.#at;
    SPACE.exec(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #found(): string {
    if (this.#at >= this.#text.length) return 'the end of the file';
    return `"${/^\S{1,20}/.exec(this.#text.slice(this.#at, this.#at + 20))?.[0] ?? ''}"`;
  }

  #fail(message: string, whatToDo = 'the file must hold a JSON array of documents, or one document a line'): never {
    throw new DataFileError(`line ${this.#line()}`, `${message}; ${whatToDo}`);
  }

  // Counting goes on from where it was last asked, so that a long file is counted once.
  #counted = 0;
  #lines = 1;
  #line(): number {
    for (let at = this.#text.indexOf('\n', this.#counted); at >= 0 && at < this.#at; ) {
      this.#lines += 1;
      this.#counted = at + 1;
      at = this.#text.indexOf('\n', this.#counted);
    }
    return this.#lines;
  }
}

/** As the relaxed form of Extended JSON has it: what has a point or an exponent is a double, like what no int64 holds. */
function numberOf(text: string): number | bigint | Double {
  if (/[.eE]/.test(text) || text === '-0') return new Double(Number(text));
  const value = BigInt(text);
  if (BigInt.asIntN(32, value) === value) return Number(value);
  return BigInt.asIntN(64, value) === value ? value : new Double(Number(text));
}
