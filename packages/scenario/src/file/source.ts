import { required } from '@replsim/protocol';
import { type Alias, isAlias, isScalar, LineCounter, type Node } from 'yaml';
import { type Place, ScenarioError } from './scenarioError.ts';
import { isListNode, isMapNode, keyOf, type MapNode, readYaml } from './yamlTree.ts';

/** Where a value stands in the document: keys and indexes from the root. */
export type Path = readonly (string | number)[];

/** Thrown to leave a file that cannot be read further; the mistakes are in the source. */
export class Unreadable extends Error {}

/** What a file is to hold: `scenario`, which needs `steps:`. */
export interface FileKind {
  readonly what: string;
  readonly needs: string;
}

/** One YAML file: its tree, the places of its nodes, and the mistakes found so far, which it adds to `mistakes`. */
export class Source {
  readonly file: string;
  readonly mistakes: ScenarioError[];
  /** What may be meant, and probably is not. */
  readonly warnings: ScenarioError[] = [];
  #root: Node;
  readonly #text: string;
  readonly #lines = new LineCounter();
  readonly #targets: ReadonlyMap<Alias, Node>;

  /**
   * @param kind what the file is to hold, and what that needs, in words
   * @throws Unreadable if this is not one YAML document with content
   */
  constructor(text: string, file: string, mistakes: ScenarioError[], kind: FileKind) {
    this.#text = text;
    this.file = file;
    this.mistakes = mistakes;
    const { documents, mistakes: found, targets } = readYaml(text, this.#lines);
    const [first, second] = documents;
    if (second !== undefined)
      this.mistake(second.range[0], 3, `a file holds one ${kind.what}; a second YAML document begins here`);
    for (const { offset, length, message, suggestion } of found) this.mistake(offset, length, message, suggestion);
    const contents = first?.contents ?? undefined;
    if (this.mistakes.length === 0 && contents === undefined)
      this.mistake(0, 1, 'the file is empty', `a ${kind.what} needs at least "${kind.needs}"`);
    if (contents === undefined || this.mistakes.length > 0) throw new Unreadable();
    this.#targets = targets;
    this.#root = contents;
  }

  get root(): Node {
    return this.#root;
  }

  /** Reads the file as if another tree stood in it, made of its nodes. What is wrong with that is not a mistake of the file yet. */
  as<Result>(root: Node, read: () => Result) {
    const [before, mistakes, warnings] = [this.#root, this.mistakes.splice(0), this.warnings.splice(0)];
    this.#root = root;
    try {
      const result = read();
      return { result, mistakes: this.mistakes.splice(0), warnings: this.warnings.splice(0) };
    } finally {
      this.#root = before;
      this.mistakes.splice(0, this.mistakes.length, ...mistakes);
      this.warnings.splice(0, this.warnings.length, ...warnings);
    }
  }

  /** Records a mistake at an offset of the text. */
  mistake(offset: number, length: number, message: string, suggestion?: string): void {
    const place = this.#placeOf(offset, length);
    const last = this.mistakes.at(-1);
    // What is read twice is wrong once.
    if (last?.line === place.line && last.column === place.column && last.message === message) return;
    this.mistakes.push(new ScenarioError(this.file, place, message, suggestion));
  }

  /** Records a mistake at a node. */
  mistakeAt(node: Node, message: string, suggestion?: string): void {
    const [start, end] = node.range ?? [0, 1];
    this.mistake(start, end - start, message, suggestion);
  }

  /** Records a mistake at the value that a path leads to, or at the nearest that exists on the way. */
  mistakeAtPath(path: Path, message: string, suggestion?: string): void {
    this.mistakeAt(this.nearestNode(path), message, suggestion);
  }

  /** As `mistakeAtPath`, of what may be meant. */
  warnAtPath(path: Path, message: string, suggestion?: string): void {
    this.warnAt(this.nearestNode(path), message, suggestion);
  }

  /** As `mistakeAt`, of what may be meant; of one that is read twice, once. */
  warnAt(node: Node, message: string, suggestion?: string): void {
    const [start, end] = node.range ?? [0, 1];
    const place = this.#placeOf(start, end - start);
    const isTold = this.warnings.some(
      (each) => each.line === place.line && each.column === place.column && each.message === message,
    );
    if (!isTold) this.warnings.push(new ScenarioError(this.file, place, message, suggestion));
  }

  /** Records a mistake at a key of the map that a path leads to. */
  mistakeAtKey(path: Path, key: string, message: string, suggestion?: string): void {
    this.mistakeAt(this.#keyNode(path, key), message, suggestion);
  }

  /** As `mistakeAtKey`, of what may be meant. */
  warnAtKey(path: Path, key: string, message: string, suggestion?: string): void {
    this.warnAt(this.#keyNode(path, key), message, suggestion);
  }

  #keyNode(path: Path, key: string): Node {
    const map = this.nodeAt(path);
    const pair = isMapNode(map) ? map.items.find((item) => keyOf(item) === key) : undefined;
    return pair && isScalar(pair.key) ? pair.key : this.nearestNode(path);
  }

  /** The node that a path leads to, aliases followed. */
  nodeAt(path: Path): Node | undefined {
    let node: Node | undefined = this.root;
    for (const part of path) node = node && this.child(node, part);
    return node && this.follow(node);
  }

  nearestNode(path: Path): Node {
    for (let length = path.length; length > 0; length--) {
      const node = this.nodeAt(path.slice(0, length));
      if (node) return node;
    }
    return this.root;
  }

  /** An alias's target; any other node itself. */
  follow(node: Node): Node {
    return isAlias(node) ? required(this.#targets.get(node), 'target of an alias') : node;
  }

  child(parent: Node, part: string | number): Node | undefined {
    const node = this.follow(parent);
    if (isMapNode(node)) return node.items.find((item) => keyOf(item) === String(part))?.value ?? undefined;
    return isListNode(node) ? node.items[Number(part)] : undefined;
  }

  /** The line on which a path's value begins. */
  lineOf(path: Path): number {
    return this.#lines.linePos(this.nearestNode(path).range?.[0] ?? 0).line;
  }

  /** The lines from which to which a path's value stands. */
  linesOf(path: Path): readonly [from: number, to: number] {
    const [start, end] = this.nearestNode(path).range ?? [0, 0];
    return [this.#lines.linePos(start).line, this.#lines.linePos(Math.max(start, end - 1)).line];
  }

  /** A map's entries in order; a key that is no scalar is a mistake. */
  entries(map: MapNode): [key: string, value: Node | null, keyNode: Node][] {
    return map.items.flatMap((pair) => {
      if (isScalar(pair.key)) return [[keyOf(pair), pair.value, pair.key]];
      this.mistakeAt(pair.key, 'a key must be plain text');
      return [];
    });
  }

  /** Numbers, strings, objects, for what is not data: settings, names, durations. */
  toPlain(node: Node | null = this.root): unknown {
    if (node === null) return null;
    const target = this.follow(node);
    if (isScalar(target)) {
      const { value } = target;
      return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
    }
    if (isListNode(target)) return target.items.map((item) => this.toPlain(item));
    if (!isMapNode(target)) return undefined;
    const plain = Object.fromEntries(this.entries(target).map(([key, value]) => [key, this.toPlain(value)]));
    return numberIn(plain) ?? plain;
  }

  #placeOf(offset: number, length: number): Place {
    const at = Math.min(offset, Math.max(0, this.#text.length));
    const { line, col } = this.#lines.linePos(at);
    const start = this.#lines.lineStarts[line - 1] ?? 0;
    const newline = this.#text.indexOf('\n', start);
    const lineText = this.#text.slice(start, newline < 0 ? undefined : newline).replace(/\r$/, '');
    return { line, column: col, length: Math.max(1, Math.min(length, lineText.length - col + 1)), lineText };
  }
}

const NUMBER_KEYS = ['$numberInt', '$numberLong', '$numberDouble'];

/** A number in Extended JSON, as mongosh prints the longs of a config: it may stand wherever a number may. */
function numberIn(plain: Readonly<Record<string, unknown>>): number | undefined {
  const [key, ...others] = Object.keys(plain);
  if (key === undefined || others.length > 0 || !NUMBER_KEYS.includes(key)) return undefined;
  const text = plain[key];
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const number = Number(text);
  return Number.isFinite(number) && (key === '$numberDouble' || Number.isSafeInteger(number)) ? number : undefined;
}
