import { didYouMean, likelyDuration, parseDuration } from '@replsim/kernel';
import { Double } from 'bson';
import { isScalar, type Node, type Scalar } from 'yaml';
import { EJSON_TYPES, readEjson } from '../file/ejson.ts';
import { dateAt, type Filling, hole, plus, Template } from '../file/placeholder.ts';
import type { Source } from '../file/source.ts';
import { isListNode, isMapNode, type MapNode } from '../file/yamlTree.ts';

/** What a value may refer to where it stands. */
export interface Scope {
  /** Names that `let` has given a value by then. */
  readonly lets: ReadonlySet<string>;
  /** Inside documents that `count` repeats. */
  readonly i: boolean;
  /** Extended JSON and nothing else: `$x` is a text, `$now` a field. */
  readonly literal?: boolean;
}

export const LITERAL: Scope = { lets: new Set(), i: false, literal: true };

/** What other readers of YAML take for a date. */
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?$/;
const REFERENCE = /^\$([A-Za-z_][A-Za-z0-9_]*)$/;
/** Under these keys MongoDB itself gives `$name` a meaning: a field of the document. */
const EXPRESSION_KEYS = new Set(['pipeline', '$expr']);
/** An update may be a pipeline. */
const UPDATE_KEYS = new Set(['u', 'update']);

/** Reads a map as a document: Extended JSON and placeholders. Anything else is a mistake. */
export function readTemplate(source: Source, node: Node | undefined, scope: Scope): Template {
  const value = new ValueReader(source, scope).value(node ?? null);
  if (value instanceof Map) return new Template(value);
  source.mistakeAt(node ?? source.root, 'a document is expected here', 'write it as { field: value }');
  return new Template(new Map());
}

/** Reads any value: Extended JSON and placeholders, of which an aggregation expression has only what `let` remembered. */
export function readValue(source: Source, node: Node | undefined, scope: Scope, inExpression = false): unknown {
  return new ValueReader(source, scope).value(node ?? null, inExpression);
}

/** How mongosh spells values that YAML has no word for, and how Extended JSON does. */
const SHELL_NAMES: Readonly<Record<string, string>> = {
  BinData: '{ $binary: { base64: "…", subType: "00" } }',
  Date: '{ $date: "…" }',
  Decimal128: '{ $numberDecimal: "…" }',
  ISODate: '{ $date: "…" }',
  Int32: '{ $numberInt: "…" }',
  Long: '{ $numberLong: "…" }',
  NumberDecimal: '{ $numberDecimal: "…" }',
  NumberInt: '{ $numberInt: "…" }',
  NumberLong: '{ $numberLong: "…" }',
  ObjectId: '{ $oid: "…" }',
  Timestamp: '{ $timestamp: { t: …, i: … } }',
  UUID: '{ $uuid: "…" }',
};
/** A comma in a flow map cuts it short. */
const SHELL_LITERAL = /^(?:new )?(\w+)\(/;

/**
 * YAML as BSON: integers are int32, int64 when they need it, double beyond; a number with a point is a double.
 * Maps become Maps, so that keys keep their order whatever they look like.
 */
class ValueReader {
  readonly #source: Source;
  readonly #scope: Scope;

  constructor(source: Source, scope: Scope) {
    this.#source = source;
    this.#scope = scope;
  }

  value(given: Node | null, inExpression = false): unknown {
    if (given === null) return null;
    const node = this.#source.follow(given);
    if (isScalar(node)) return this.#scalar(node, inExpression);
    if (isListNode(node)) return node.items.map((item) => this.value(item, inExpression));
    return isMapNode(node) ? this.#map(node, inExpression) : null;
  }

  #scalar(node: Scalar, inExpression: boolean): unknown {
    const { value } = node;
    if (typeof value === 'bigint') return numberOf(value);
    if (typeof value === 'number') return new Double(value);
    if (typeof value !== 'string') return value;
    if (this.#scope.literal) return value;
    if (node.type === 'PLAIN' && INSTANT.test(value))
      this.#source.warnAt(node, 'this is text, not a date', `write { $date: "${value}" }, or put the text in quotes`);
    if (node.type === 'PLAIN') this.#warnOfShell(node, value);
    const name = REFERENCE.exec(value)?.[1];
    return name === undefined ? value : this.#reference(node, name, inExpression);
  }

  /** People who write mongosh's literals all day write them here, too, and YAML takes them for text. */
  #warnOfShell(node: Scalar, value: string): void {
    const [, name = ''] = SHELL_LITERAL.exec(value) ?? [];
    const written = Object.hasOwn(SHELL_NAMES, name) ? SHELL_NAMES[name] : undefined;
    if (written !== undefined)
      this.#source.warnAt(
        node,
        `this is text: YAML does not know ${name}(…)`,
        `write ${written}, or put the text in quotes`,
      );
  }

  #reference(node: Scalar, name: string, inExpression: boolean): unknown {
    if (this.#scope.lets.has(name)) return hole(({ lets }) => lets.get(name));
    if (inExpression) return node.value;
    if (name === 'now') return hole(({ nowMs }) => new Date(nowMs));
    if (name === 'rand') return hole(({ random }) => new Double(random.float()));
    if (name === 'i') {
      if (this.#scope.i) return hole(({ i }) => i);
      this.#source.mistakeAt(
        node,
        '$i counts the documents of an insert with "count"; here it has no value',
        'insert: { into: …, count: 10, document: { … } }',
      );
      return 0;
    }
    const known = [...this.#scope.lets, 'now', 'rand', ...(this.#scope.i ? ['i'] : [])].map((each) => `$${each}`);
    const suggestion =
      didYouMean(`$${name}`, known) ?? `give it a value first: "- let: { ${name}: { on: …, command: …, path: … } }"`;
    this.#source.mistakeAt(node, `nothing called $${name} was remembered before this step`, suggestion);
    return null;
  }

  #map(map: MapNode, inExpression: boolean): unknown {
    const entries = this.#source.entries(map);
    const first = entries.find(([key]) => EJSON_TYPES.has(key));
    if (first) return readEjson(this.#source, map, first, entries);
    const only = entries.length === 1 && !this.#scope.literal ? entries[0] : undefined;
    if (only?.[0] === '$now') return this.#now(only[1] ?? map);
    if (only?.[0] === '$plus' && !inExpression) return this.#plus(only[1] ?? map);
    if (only?.[0] === '$rand' && only[1] !== null && isListNode(this.#source.follow(only[1])))
      return this.#rand(only[1]);
    if (only) this.#misspelt(only[0], only[2]);
    const result = new Map<string, unknown>();
    for (const [key, value] of entries) {
      const pipeline = UPDATE_KEYS.has(key) && value !== null && isListNode(this.#source.follow(value));
      result.set(key, this.value(value, inExpression || pipeline || EXPRESSION_KEYS.has(key)));
    }
    return result;
  }

  /** `$Date` and `$NOW` would be fields of the document. */
  #misspelt(key: string, node: Node): void {
    if (!key.startsWith('$')) return;
    const meant = [...EJSON_TYPES, '$now', '$rand', '$plus'].find((each) => each.toLowerCase() === key.toLowerCase());
    if (meant !== undefined && meant !== key)
      this.#source.mistakeAt(node, `"${key}" is not known here`, `did you mean "${meant}"?`);
  }

  /** `{ $now: -90s }` or `{ $now: { minus: 1h, times: $i } }`: a date on the clock of the member that is asked. */
  #now(given: Node): unknown {
    const node = this.#source.follow(given);
    if (isScalar(node)) {
      const offsetMicros = this.#duration(node);
      return hole(({ nowMs }) => dateAt(nowMs + Math.floor(offsetMicros / 1000)));
    }
    let stepMicros = 0;
    let times: unknown = 1;
    for (const [key, value, keyNode] of isMapNode(node) ? this.#source.entries(node) : []) {
      if (key === 'minus' || key === 'plus') stepMicros = this.#duration(value ?? keyNode) * (key === 'minus' ? -1 : 1);
      else if (key === 'times') times = this.value(value);
      else
        this.#source.mistakeAt(
          keyNode,
          `$now has no "${key}"`,
          didYouMean(key, ['minus', 'plus', 'times']) ?? NOW_FORMS,
        );
    }
    if (!isMapNode(node)) this.#source.mistakeAt(given, '$now takes a duration', NOW_FORMS);
    return hole((filling) => {
      const count = plus(filled(times, filling), 0);
      return dateAt(filling.nowMs + Math.floor((stepMicros * Number(count)) / 1000));
    });
  }

  #duration(node: Node): number {
    const target = this.#source.follow(node);
    const text = isScalar(target) ? String(target.source ?? target.value) : '';
    const micros = parseDuration(text);
    const meant = likelyDuration(text);
    if (micros === undefined)
      this.#source.mistakeAt(
        node,
        `"${text}" is not a duration`,
        meant === undefined ? NOW_FORMS : `did you mean ${meant}?`,
      );
    return micros ?? 0;
  }

  #plus(given: Node): unknown {
    const node = this.#source.follow(given);
    if (!isListNode(node) || node.items.length < 2) {
      this.#source.mistakeAt(given, '$plus takes a list of values to add', 'write { $plus: [$x, 1] }');
      return null;
    }
    const terms = node.items.map((item) => this.value(item));
    return hole((filling) => terms.map((term) => filled(term, filling)).reduce(plus));
  }

  /** `{ $rand: [1, 6] }`: an integer from 1 to 6. */
  #rand(given: Node): unknown {
    const bounds = this.value(given) as unknown[];
    const [low, high] = bounds;
    if (bounds.length !== 2 || typeof low !== 'number' || typeof high !== 'number' || low > high) {
      this.#source.mistakeAt(given, '$rand takes the least and the greatest integer', 'write { $rand: [1, 6] }');
      return null;
    }
    return hole(({ random }) => random.int(low, high + 1));
  }
}

const NOW_FORMS = 'write { $now: -90s } or { $now: { minus: 1h, times: $i } }';

/** int32 if it fits, then int64 (a bigint), then double. */
function numberOf(value: bigint): unknown {
  if (BigInt.asIntN(32, value) === value) return Number(value);
  return BigInt.asIntN(64, value) === value ? value : new Double(Number(value));
}

function filled(value: unknown, filling: Filling): unknown {
  const isHole = typeof value === 'object' && value !== null && 'fill' in value;
  return isHole ? (value as ReturnType<typeof hole>).fill(filling) : value;
}
