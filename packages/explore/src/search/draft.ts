import { formatInstantExactly } from '@replsim/kernel';
import { type Document, isMap, isScalar, isSeq, Lexer, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';

/** A fault at an instant, as a scenario has it: one key, and what stands there. */
export interface FaultAt {
  readonly atMicros: number;
  readonly fault: Readonly<Record<string, unknown>>;
  /** The run goes on where it cannot be done. */
  readonly optional?: boolean;
}

/** A scenario as a text that is changed piece by piece, with its comments and its own way of writing. */
export class Draft {
  readonly #document: Document;

  private constructor(document: Document) {
    this.#document = document;
  }

  static of(text: string): Draft {
    return new Draft(parseDocument(text, { keepSourceTokens: false }));
  }

  copy(): Draft {
    return new Draft(this.#document.clone());
  }

  get text(): string {
    return withoutPaddedLists(this.#document.toString({ lineWidth: 0 }));
  }

  /** The steps, each of which can be taken out. */
  get steps(): readonly unknown[] {
    return this.#list('steps')?.items ?? [];
  }

  get faults(): number {
    return this.#list('meanwhile')?.items.length ?? 0;
  }

  /** The names of the top-level keys. */
  get keys(): readonly string[] {
    const { contents } = this.#document;
    return isMap(contents) ? contents.items.map(({ key }) => String(isScalar(key) ? key.value : key)) : [];
  }

  get(...path: (string | number)[]): unknown {
    const node = this.#document.getIn(path);
    return isMap(node) || isSeq(node) ? node.toJSON() : node;
  }

  /** A list of the head, plain. */
  plain(key: string): readonly unknown[] {
    const value = this.get(key);
    return Array.isArray(value) ? value : [];
  }

  set(path: readonly (string | number)[], value: unknown): this {
    // As a node, so that what is in it can be changed as well.
    this.#document.setIn(path, this.#document.createNode(value, { flow: true }));
    return this;
  }

  delete(...path: (string | number)[]): this {
    this.#document.deleteIn(path);
    return this;
  }

  headedBy(comment: string): this {
    this.#document.commentBefore = comment;
    return this;
  }

  /** Adds faults to what happens meanwhile. */
  add(faults: readonly FaultAt[]): this {
    if (faults.length === 0) return this;
    const all = this.#list('meanwhile') ?? this.#document.createNode([]);
    for (const { atMicros, fault, optional } of faults) {
      const given = { at: formatInstantExactly(atMicros), ...fault, ...(optional && { optional }) };
      const entry = this.#document.createNode(given, { flow: true });
      (all as YAMLSeq).add(entry);
    }
    this.#before('steps', 'meanwhile', all);
    return this;
  }

  /** Adds steps before the one at an index, from 0. */
  insert(index: number, ...steps: readonly unknown[]): this {
    const list = this.#list('steps');
    list?.items.splice(index, 0, ...steps.map((step) => this.#flowed(step)));
    return this;
  }

  /** Leaves out steps, from the one at an index, from 0. */
  removeSteps(index: number, count: number): this {
    this.#list('steps')?.items.splice(index, count);
    return this;
  }

  removeFaults(indexes: ReadonlySet<number>): this {
    const list = this.#list('meanwhile');
    if (!list) return this;
    list.items = list.items.filter((_, i) => !indexes.has(i));
    if (list.items.length === 0) this.delete('meanwhile');
    return this;
  }

  /** A step on a line of its own, what it holds on the same. */
  #flowed(step: unknown): unknown {
    const node = this.#document.createNode(step);
    if (isMap(node)) for (const { value } of node.items) if (isMap(value) || isSeq(value)) value.flow = true;
    return node;
  }

  #list(key: string): YAMLSeq | undefined {
    const node = this.#document.get(key, true);
    return isSeq(node) ? node : undefined;
  }

  #before(other: string, key: string, value: unknown): void {
    const map = this.#document.contents as unknown as YAMLMap;
    const pair = this.#document.createPair(key, value);
    map.items = map.items.filter((item) => !(isScalar(item.key) && item.key.value === key));
    const at = map.items.findIndex((item) => isScalar(item.key) && item.key.value === other);
    map.items.splice(at < 0 ? map.items.length : at, 0, pair as (typeof map.items)[number]);
  }
}

/** Tokens of yaml's lexer that stand for no text of the file. */
const NO_TEXT: ReadonlySet<string> = new Set(['\u0002', '\u0018', '\u001f']);

/** Lists on one line as people write them: `[n1, n2]`, in maps that are padded. */
function withoutPaddedLists(text: string): string {
  const tokens = [...new Lexer().lex(text)].filter((token) => !NO_TEXT.has(token));
  return tokens.filter((token, i) => !(token === ' ' && (tokens[i - 1] === '[' || tokens[i + 1] === ']'))).join('');
}
