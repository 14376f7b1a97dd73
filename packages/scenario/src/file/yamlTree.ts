import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  Parser,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/** As deep as a BSON document may be, and the scenario around it. */
const MAX_DEPTH = 220;
/** How many values aliases may add to those that stand there: each may stand for others, and a few lines ask for more than there is. */
const MAX_ALIASED = 100_000;
/** A long recording has some; a tree takes many times the memory of its text. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Something wrong with the text, where it stands. */
export interface YamlMistake {
  readonly offset: number;
  readonly length: number;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** What is safe to walk: not deep, and with aliases that end. Only without mistakes is it whole. */
export interface YamlTree {
  readonly documents: readonly Document.Parsed[];
  readonly mistakes: readonly YamlMistake[];
  /** What each alias stands for. */
  readonly targets: ReadonlyMap<Alias, Node>;
}

/** Reads YAML at a cost that the length of the text bounds, whatever stands in it. */
export function readYaml(text: string, lineCounter: LineCounter): YamlTree {
  const targets = new Map<Alias, Node>();
  if (text.length > MAX_CHARACTERS) {
    lineCounter.addNewLine(0);
    return { documents: [], mistakes: [tooLong(text)], targets };
  }
  try {
    // The composer calls itself level by level, and looks for a key twice by comparing each with each.
    const composer = new Composer({ intAsBigInt: true, prettyErrors: false, version: '1.2', uniqueKeys: false });
    let openQuote: number | undefined;
    const onToken = (token: CST.Token): void => {
      if (isOpenQuote(token)) openQuote ??= token.offset;
    };
    const tokens = shallow(new Parser(lineCounter.addNewLine).parse(text), onToken);
    const documents = [...composer.compose(tokens, true, text.length)] as Document.Parsed[];
    const mistakes = (documents[0]?.errors ?? []).map(({ pos: [start, end], code, message }) => {
      const wantsQuote = code === 'MISSING_CHAR' && message.includes('quote') && openQuote !== undefined;
      // It is missing at the end of the file, and people look for where it was opened.
      const offset = wantsQuote ? openQuote! : start;
      const length = wantsQuote ? 1 : end - start;
      return { offset, length, message: YAML_MESSAGES[code] ?? lowerFirst(message), suggestion: YAML_HINTS[code] };
    });
    if (mistakes.length > 0) return { documents, mistakes, targets };
    return { documents, mistakes: new Walk(targets).mistakesIn(documents[0]?.contents ?? null), targets };
  } catch (error) {
    if (error instanceof Refused) return { documents: [], mistakes: [error.mistake], targets };
    throw error;
  }
}

/** A map as the composer makes it: its pairs are of nodes. */
export type MapNode = YAMLMap<Node, Node | null>;

export const isMapNode = (node: Node | null | undefined): node is MapNode => isMap(node);
export const isListNode = (node: Node | null | undefined): node is YAMLSeq<Node> => isSeq(node);

/** The text of a pair's key as it stands in the file: `1.0` stays `1.0`. */
export function keyOf(pair: Pair): string {
  const key = isPair(pair) && isScalar(pair.key) ? pair.key : undefined;
  return typeof key?.value === 'string' ? key.value : (key?.source ?? String(key?.value));
}

/** Thrown to leave a text that is not read further. */
class Refused extends Error {
  readonly mistake: YamlMistake;

  constructor(mistake: YamlMistake) {
    super(mistake.message);
    this.mistake = mistake;
  }
}

/** The same tokens, none of which is deep. It must not call itself: that is what a deep one would break. */
function* shallow(tokens: Iterable<CST.Token>, onToken: (token: CST.Token) => void): Generator<CST.Token> {
  for (const token of tokens) {
    const left: [token: CST.Token, depth: number][] = [[token, 0]];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [at, depth] = next;
      if (depth > MAX_DEPTH) throw new Refused(tooDeep(at.offset, 1));
      onToken(at);
      for (const inside of insideOf(at)) left.push([inside, depth + 1]);
    }
    yield token;
  }
}

/** A quoted text that goes on to the end of the file. */
function isOpenQuote(token: CST.Token): boolean {
  if (token.type !== 'double-quoted-scalar' && token.type !== 'single-quoted-scalar') return false;
  const { source } = token;
  return source.length < 2 || source.at(-1) !== source[0];
}

function insideOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [...(key ? [key] : []), ...(value ? [value] : [])]);
}

/** What an anchored value comes to with all that its aliases stand for. */
interface Measure {
  readonly node: Node;
  readonly values: number;
  readonly depth: number;
}

/** Goes through a tree once, in the order of the text, in which an anchor stands before its aliases. */
class Walk {
  readonly #targets: Map<Alias, Node>;
  /** By name; undefined while the value itself is being read. */
  readonly #anchors = new Map<string, Measure | undefined>();
  readonly #mistakes: YamlMistake[] = [];
  #aliased = 0;

  constructor(targets: Map<Alias, Node>) {
    this.#targets = targets;
  }

  mistakesIn(root: Node | null): YamlMistake[] {
    this.#measure(root);
    return this.#mistakes;
  }

  #measure(node: Node | null): { values: number; depth: number } {
    if (node === null) return { values: 1, depth: 0 };
    if (isAlias(node)) return this.#follow(node);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const inside = isMapNode(node) ? this.#insideMap(node) : isListNode(node) ? node.items : [];
    let values = 1;
    let depth = 0;
    for (const each of inside) {
      const measure = this.#measure(each);
      values += measure.values;
      depth = Math.max(depth, measure.depth + 1);
    }
    if (depth > MAX_DEPTH) throw new Refused(tooDeep(...placeOf(node)));
    if (anchor !== undefined) this.#anchors.set(anchor, { node, values, depth });
    return { values, depth };
  }

  #insideMap(map: MapNode): (Node | null)[] {
    const seen = new Set<string>();
    for (const pair of map.items) {
      if (!isScalar(pair.key)) continue;
      const key = keyOf(pair);
      if (key === '<<' && pair.key.type === 'PLAIN')
        this.#mistake(
          pair.key,
          'merge keys (<<) are not supported',
          'write the fields out; an alias may be a whole value',
        );
      if (seen.has(key)) this.#mistake(pair.key, 'this key appears twice in the same map', 'keep one of them');
      seen.add(key);
    }
    return map.items.flatMap(({ key, value }) => [key, value]);
  }

  #follow(alias: Alias): { values: number; depth: number } {
    const { source } = alias;
    const target = this.#anchors.get(source);
    if (target === undefined) {
      const isOpen = this.#anchors.has(source);
      const message = isOpen ? `"&${source}" contains itself` : `nothing before this is anchored as "&${source}"`;
      this.#mistake(alias, message, isOpen ? undefined : `text that begins with "*" needs quotes: "*${source}"`);
      return { values: 1, depth: 0 };
    }
    this.#targets.set(alias, target.node);
    this.#aliased += target.values;
    if (this.#aliased > MAX_ALIASED) {
      const [offset, length] = placeOf(alias);
      const message = `aliases repeat too much: with this one they add more than ${MAX_ALIASED} values`;
      throw new Refused({ offset, length, message });
    }
    return target;
  }

  #mistake(node: Node, message: string, suggestion?: string): void {
    const [offset, length] = placeOf(node);
    this.#mistakes.push({ offset, length, message, suggestion });
  }
}

function placeOf(node: Node): [offset: number, length: number] {
  const [start, end] = node.range ?? [0, 1];
  return [start, end - start];
}

function tooDeep(offset: number, length: number): YamlMistake {
  return { offset, length, message: `this is nested too deep: at most ${MAX_DEPTH} levels are read` };
}

function tooLong(text: string): YamlMistake {
  const message = `this file is too long: it has ${text.length} characters, and at most ${MAX_CHARACTERS} are read`;
  return { offset: 0, length: 1, message };
}

/** What yaml's own messages leave unclear. */
const YAML_MESSAGES: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'YAML does not allow tabs as indentation',
};
const YAML_HINTS: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'use spaces',
  BLOCK_AS_IMPLICIT_KEY: 'a ": " inside plain text begins a value; put the text in quotes',
  MULTILINE_IMPLICIT_KEY: 'is a "," or a closing bracket missing before it?',
  MISSING_CHAR: 'close every quote and bracket that you open',
  BAD_INDENT: 'is a closing bracket missing, or the indentation wrong?',
};

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
