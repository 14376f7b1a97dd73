import { didYouMean, didYouMeanOneOf, END_OF_CLOCKS_MS, parseDuration } from '@replsim/kernel';
import { CommandError, ErrorCodes, encodeDocument, type MongodVersion } from '@replsim/protocol';
import { compileFilter, compileUpdate, type FilterOptions } from '@replsim/query';
import { type ActingUser, isNobody, TARGET_WORDS, wholeMilliseconds } from '@replsim/replset';
import { Double, Int32, Long } from 'bson';
import { isMap, type Node } from 'yaml';
import { Template } from '../file/placeholder.ts';
import type { Path, Source } from '../file/source.ts';
import { sentConcern } from '../judging/concerns.ts';
import { operatorMeant } from '../judging/judgeFilters.ts';
import type { NumberTest, Target, WantedError } from '../scenario.ts';
import { Elapsed } from './elapsed.ts';
import { LITERAL, readTemplate, readValue } from './values.ts';

/** Newer servers call error 64 so. */
const ERROR_NUMBERS: ReadonlyMap<string, number> = new Map<string, number>([
  ...Object.entries(ErrorCodes),
  ['WriteConcernTimeout', ErrorCodes.WriteConcernFailed],
]);

/** Reads the parts of steps and checks, and knows what earlier steps made known: members, remembered values, replies, workloads. */
export class Reader {
  readonly source: Source;
  /** Their hosts by their names. */
  readonly members: ReadonlyMap<string, string>;
  /** Their members by their names. */
  zones: ReadonlyMap<string, readonly string[]> = new Map();
  /** The releases that its members are of. */
  releases: readonly MongodVersion[] = [];
  /** A fail point lets pass what members say of indexes. */
  skipsIndexChecks = false;
  /** Those of the head, by their names. */
  readonly users = new Map<string, ActingUser>();
  readonly lets = new Set<string>();
  readonly replies = new Set<string>();
  readonly workloads = new Set<string>();
  /** Of what the history of a workload is, where one is kept. */
  readonly histories = new Map<string, 'documents' | 'transactions'>();
  readonly streams = new Set<string>();
  /** Connections from outside, and how many requests were sent on each. */
  readonly connections = new Map<number, number>();
  readonly elapsed: Elapsed;

  constructor(source: Source, members: ReadonlyMap<string, string>) {
    this.source = source;
    this.members = members;
    this.elapsed = new Elapsed(source);
  }

  /** A user as whom a step acts. */
  user(path: Path, name: string): ActingUser {
    const known = this.users.get(name);
    if (!known)
      this.source.mistakeAtPath(
        path,
        `there is no user "${name}"`,
        didYouMeanOneOf(name, [...this.users.keys()]) ??
          `list it in the head: "users: [{ user: ${name}, roles: [read] }]"`,
      );
    return known ?? { user: name, db: 'admin' };
  }

  template(path: Path): Template {
    return readTemplate(this.source, this.source.nodeAt(path), { lets: this.lets, i: false });
  }

  /** A document in which nothing stands for anything else. */
  literal(path: Path): Template {
    return readTemplate(this.source, this.source.nodeAt(path), LITERAL);
  }

  /**
   * A filter that we judge ourselves: one that is malformed is a mistake, not a failure of the run.
   * @param options `allowsNear` and `search` for one that members are asked
   */
  filter(
    path: Path,
    template = this.template(path),
    options: Pick<FilterOptions, 'allowsNear' | 'search'> = {},
  ): Template {
    if (template.dynamic) return template;
    try {
      compileFilter(encodeDocument(template.value), options);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.source.mistakeAtPath(path, `this is not a filter: ${error.message}`, operatorMeant(error.message));
    }
    return template;
  }

  /** What members would refuse of an update, whatever the documents. */
  update(path: Path, given: unknown): void {
    // A pipeline is judged by who computes with it.
    if (!(given instanceof Map)) return;
    const template = new Template(given);
    if (template.dynamic) return;
    try {
      compileUpdate(encodeDocument(template.value), { nowMs: 0 });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      this.source.mistakeAtPath(path, `this is not an update: ${error.message}`, operatorMeant(error.message));
    }
  }

  /** @param where `counted`: inside what `count` repeats; `pipeline`: where `$name` is MongoDB's way to name a field */
  value(path: Path, where: { readonly counted?: boolean; readonly pipeline?: boolean } = {}): unknown {
    const scope = { lets: this.lets, i: where.counted ?? false };
    return readValue(this.source, this.source.nodeAt(path), scope, where.pipeline);
  }

  /** The entries of the map at a path that are sent as they are: `key` → value, if present. */
  values(path: Path, keys: readonly string[]): Map<string, unknown> {
    const map = new Map<string, unknown>();
    for (const key of keys) if (this.has(path, key)) map.set(key, sentConcern(key, this.value([...path, key])));
    return map;
  }

  has(path: Path, key: string): boolean {
    const node = this.source.nodeAt(path);
    return node !== undefined && this.source.child(node, key) !== undefined;
  }

  /** Microseconds; the schema has seen that it is a duration, but not how fine it is. */
  duration(path: Path, text: string): number {
    const micros = parseDuration(text);
    if (micros === undefined) this.source.mistakeAtPath(path, `"${text}" is finer than a microsecond, or too long`);
    return micros ?? 0;
  }

  /** A duration as a wall clock takes it. @returns ms, a whole number */
  wallMs(path: Path, text: string): number {
    const ms = this.duration(path, text) / 1000;
    if (!Number.isInteger(ms)) this.source.mistakeAtPath(path, ...wholeMilliseconds(ms));
    return Math.trunc(ms);
  }

  /** A duration that lies ahead. */
  span(path: Path, text: string): number {
    const micros = this.duration(path, text);
    // From 1970 to 2106: two of them added up are still an exact integer.
    if (micros > END_OF_CLOCKS_MS * 1000) {
      this.source.mistakeAtPath(path, 'this is too long: clocks go from 1970 to 2106', 'write at most 49710d');
      this.elapsed.end();
    }
    if (micros < 0) this.source.mistakeAtPath(path, 'time does not run backwards', `did you mean "${text.slice(1)}"?`);
    return micros;
  }

  target(path: Path, given: string | readonly string[] | undefined, absent = 'primary'): Target {
    if (given === undefined) return [absent];
    const names = typeof given === 'string' ? [given] : given;
    names.forEach((name, index) => {
      const at = typeof given === 'string' ? path : [...path, index];
      if (!this.zones.has(name) && !isWord(name)) this.#someone(at, name);
    });
    return names.some((name) => this.zones.has(name)) ? names.flatMap((name) => this.zones.get(name) ?? name) : names;
  }

  /** A member's name where a target stands. Who means nobody means no step at all. */
  #someone(at: Path, name: string): void {
    const words = [...TARGET_WORDS, ...this.zones.keys()];
    if (this.members.has(name) || !isNobody(name)) {
      this.member(at, name, words);
      return;
    }
    const known = [...this.members.keys(), ...words].join(', ');
    this.source.mistakeAtPath(
      at,
      `no member is called "${name}"`,
      `leave the step out, or name at least one: ${known}`,
    );
  }

  /** Whether targets use this name: it is a member's, or a word of theirs. */
  isTarget(name: string): boolean {
    return this.members.has(name) || isWord(name);
  }

  member(path: Path, name: string, alsoKnown: readonly string[] = []): string {
    if (!this.members.has(name)) {
      const known = [...this.members.keys(), ...alsoKnown];
      this.source.mistakeAtPath(path, `no member is called "${name}"`, didYouMeanOneOf(name, known));
    }
    return name;
  }

  /** Where a client stands: at a member, or in a zone, which is at its first member. */
  place(path: Path, name: string): string {
    const [first] = this.zones.get(name) ?? [];
    return first ?? this.member(path, name, [...this.zones.keys()]);
  }

  wantedError(path: Path, given: string | number): WantedError {
    const text = String(given);
    if (text === 'any') return { code: undefined, text: 'any error' };
    const location = /^(?:Location)?(\d+)$/.exec(text)?.[1];
    const code = ERROR_NUMBERS.get(text) ?? (location === undefined ? undefined : Number(location));
    if (code === undefined)
      this.source.mistakeAtPath(
        path,
        `no error is called "${text}"`,
        didYouMean(text, [...ERROR_NUMBERS.keys(), 'any']) ?? 'a number is possible too',
      );
    return { code: code ?? 0, text };
  }

  /** A number or MQL conditions, as a filter on `{v: number}`. */
  numberTest(path: Path): NumberTest {
    const value = this.value(path);
    const node = this.source.nodeAt(path);
    const key = path.at(-1);
    if (
      node !== undefined &&
      typeof value !== 'number' &&
      typeof value !== 'bigint' &&
      !(value instanceof Int32) &&
      !(value instanceof Long) &&
      !(value instanceof Double) &&
      !(value instanceof Map) &&
      !isFilled(value)
    )
      this.source.mistakeAtPath(
        path,
        'expected a number or conditions on it',
        `write ${key}: 5, or ${key}: { $gte: 5 }`,
      );
    return {
      filter: this.filter(path, new Template(new Map([['v', value]]))),
      text: node ? nodeText(this.source, node) : '',
    };
  }
}

function isWord(name: string): boolean {
  return TARGET_WORDS.some((each) => each === name);
}

/** A placeholder: its value comes at run time. */
function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'fill' in value;
}

function nodeText(source: Source, node: Node): string {
  const plain = source.toPlain(node);
  if (!isMap(node)) return String(plain);
  return JSON.stringify(plain, (_, value) => (typeof value === 'bigint' ? String(value) : value)).replaceAll('"', '');
}
