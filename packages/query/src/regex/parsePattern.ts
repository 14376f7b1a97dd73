/** Patterns of PCRE2, as mongod compiles them. Upstream: util/pcre.cpp; pcre2_compile.c, parse_regex; pcre2pattern. */
import { readClass } from './characterClass.ts';
import type { CharacterSet, Range } from './characterSet.ts';
import { checkedName, type Escape, readEscape } from './escapes.ts';
import { PatternError } from './patternError.ts';
import { PatternReader } from './patternReader.ts';
import { type Pattern, type PatternNode, widthOf } from './syntax.ts';

/** Upstream: pcre2's PARENS_NEST_LIMIT. */
const MAX_NESTED_GROUPS = 250;
/** Upstream: pcre2_compile.c, MAX_REPEAT_COUNT. */
const MAX_REPEATS = 65_535;

/** Which options hold at a place. */
type Options = Readonly<Record<'i' | 'm' | 's' | 'x' | 'xx' | 'n' | 'U', boolean>>;

const NEWLINE: readonly Range[] = [[10, 10]];
/** Places, of which there is one only. */
const NOT_REPEATED: ReadonlySet<PatternNode['kind']> = new Set(['lineStart', 'lineEnd', 'lastLineEnd', 'textStart', 'textEnd',
  'searchStart', 'word', 'keep'] as const); // biome-ignore format: a list
const EMPTY: PatternNode = { kind: 'sequence', of: [] };

/** Reads a pattern. Throws PatternError for what PCRE refuses and for what is not supported. */
export function parsePattern(pattern: string, flags: string): Pattern {
  return new PatternParser(pattern, flags).parse();
}

/** A reference that is looked up when all groups are known. */
interface Reference {
  readonly node: { group: number };
  readonly of: number | string;
}

class PatternParser {
  readonly #reader: PatternReader;
  readonly #names = new Map<string, number>();
  readonly #references: Reference[] = [];
  #options: Options;
  #groups = 0;
  #depth = 0;

  constructor(pattern: string, flags: string) {
    this.#reader = new PatternReader(pattern);
    const has = (flag: string) => flags.includes(flag);
    this.#options = { i: has('i'), m: has('m'), s: has('s'), x: has('x'), xx: false, n: false, U: false };
  }

  parse(): Pattern {
    while (this.#reader.take('(*UTF)'));
    const root = this.#alternatives();
    if (!this.#reader.atEnd) throw new PatternError('a closing parenthesis without an opening one');
    for (const { node, of } of this.#references) {
      const group = typeof of === 'string' ? this.#names.get(of) : of;
      if (group === undefined || group < 1 || group > this.#groups) throw new PatternError(`no group is ${of}`);
      node.group = group;
    }
    return { root, groups: this.#groups };
  }

  /** Up to a closing parenthesis, which stays. */
  #alternatives(): PatternNode {
    const of = [this.#sequence()];
    while (this.#reader.take('|')) of.push(this.#sequence());
    return of.length === 1 ? of[0]! : { kind: 'alternatives', of };
  }

  #sequence(): PatternNode {
    const of: PatternNode[] = [];
    for (;;) {
      this.#skipLayout();
      if (this.#reader.atEnd || /[|)]/.test(this.#reader.peek())) return { kind: 'sequence', of };
      of.push(...this.#item());
    }
  }

  /** What means nothing: comments, and with option x blanks. */
  #skipLayout(): void {
    const reader = this.#reader;
    for (;;) {
      if (reader.take('(?#')) reader.until(')');
      else if (reader.take('\\E')) continue;
      else if (this.#options.x && /^[\t-\r \u0085\u200e\u200f\u2028\u2029]$/.test(reader.peek())) reader.next();
      else if (this.#options.x && reader.peek() === '#') reader.takeWhile(/[^\n]/);
      else return;
    }
  }

  #item(): PatternNode[] {
    const reader = this.#reader;
    if (reader.take('\\Q')) return this.#quoted();
    if (this.#quantifierAhead()) throw new PatternError('a quantifier that follows nothing');
    if (reader.take('(')) {
      const group = this.#group();
      return group ? [this.#quantified(group)] : [];
    }
    if (reader.take('[')) {
      const { i, xx } = this.#options;
      return [this.#quantified(ofSet(readClass(reader, { ignoreCase: i, skipsBlanks: xx })))];
    }
    const single = this.#single();
    return [NOT_REPEATED.has(single.kind) ? this.#unrepeated(single) : this.#quantified(single)];
  }

  /** `\Q…\E`, whose last character a quantifier means. */
  #quoted(): PatternNode[] {
    const nodes: PatternNode[] = [];
    const reader = this.#reader;
    while (!reader.atEnd && !reader.take('\\E')) nodes.push(this.#character(reader.next().codePointAt(0)!));
    const last = nodes.pop();
    return last ? [...nodes, this.#quantified(last)] : [];
  }

  #single(): PatternNode {
    const { m, s } = this.#options;
    const character = this.#reader.next();
    switch (character) {
      case '^':
        return { kind: m ? 'lineStart' : 'textStart' };
      case '$':
        return { kind: m ? 'lineEnd' : 'lastLineEnd' };
      case '.':
        return ofSet(except(s ? [] : NEWLINE));
      case '\\':
        return this.#escaped(readEscape(this.#reader, this.#groups));
      default:
        return this.#character(character.codePointAt(0)!);
    }
  }

  #character(codePoint: number): PatternNode {
    const ranges: Range[] = [[codePoint, codePoint]];
    return ofSet({ ranges, exact: [], negate: false, ignoreCase: this.#options.i });
  }

  #escaped(meant: Escape): PatternNode {
    switch (meant.kind) {
      case 'character':
        return this.#character(meant.codePoint);
      case 'class':
        return ofSet({ ranges: [], exact: meant.ranges, negate: false, ignoreCase: false });
      case 'number':
        return this.#reference(meant.group);
      case 'name':
        return this.#reference(meant.name);
      default:
        return this.#lettered(meant.letter);
    }
  }

  #lettered(letter: string): PatternNode {
    const relative = /^g([+-]?)(\d+)$/.exec(letter);
    if (relative) return this.#reference(this.#absolute(relative[1]!, Number(relative[2])));
    switch (letter) {
      case 'A':
        return { kind: 'textStart' };
      case 'b':
      case 'B':
        return { kind: 'word', negate: letter === 'B' };
      case 'G':
        return { kind: 'searchStart' };
      case 'K':
        if (this.#lookarounds > 0) throw new PatternError('\\K stands in a look around');
        return { kind: 'keep' };
      case 'N':
        if (this.#reader.peek() === '{' && !this.#quantifierAhead()) throw new PatternError('\\N{name} is not known');
        return ofSet(except(NEWLINE));
      case 'R':
        return LINE_BREAK;
      case 'Z':
        return { kind: 'lastLineEnd' };
      case 'z':
        return { kind: 'textEnd' };
      default:
        throw new PatternError(`\\${letter} is not supported`);
    }
  }

  #lookarounds = 0;

  /** A group that is counted from here. */
  #absolute(sign: string, number: number): number {
    if (sign === '') return number;
    if (number === 0) throw new PatternError('no group is 0 away');
    return sign === '-' ? this.#groups - number + 1 : this.#groups + number;
  }

  #reference(of: number | string): PatternNode {
    const node = { kind: 'again' as const, group: 0, ignoreCase: this.#options.i };
    this.#references.push({ node, of });
    return node;
  }

  #quantifierAhead(): boolean {
    if (/^[*+?]$/.test(this.#reader.peek())) return true;
    return this.#boundsAhead() !== undefined;
  }

  /** `{2}`, `{2,}` and `{2,3}`; anything else in braces means itself. */
  #boundsAhead(): RegExpExecArray | undefined {
    if (this.#reader.peek() !== '{') return undefined;
    let text = '';
    for (let i = 0; i < 64 && text.at(-1) !== '}' && this.#reader.peek(i) !== ''; i++) text += this.#reader.peek(i);
    return /^\{(\d+)(?:(,)(\d*))?\}$/.exec(text) ?? undefined;
  }

  #quantified(node: PatternNode): PatternNode {
    this.#skipLayout();
    const bounds = this.#bounds();
    if (!bounds) return node;
    const { greedy, isPossessive } = this.#manner();
    const repeat: PatternNode = { kind: 'repeat', of: node, ...bounds, greedy };
    return this.#unrepeated(isPossessive ? { kind: 'atomic', of: repeat } : repeat);
  }

  /** No quantifier may follow, as none may follow another. */
  #unrepeated(node: PatternNode): PatternNode {
    this.#skipLayout();
    if (this.#quantifierAhead()) throw new PatternError('a quantifier that follows another, or a place such as `^`');
    return node;
  }

  #bounds(): { readonly min: number; readonly max: number } | undefined {
    const reader = this.#reader;
    if (reader.take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (reader.take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (reader.take('?')) return { min: 0, max: 1 };
    const found = this.#boundsAhead();
    if (!found) return undefined;
    reader.take(found[0]);
    const min = Number(found[1]);
    const max = found[2] === undefined ? min : found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3]);
    if (min > MAX_REPEATS || (max > MAX_REPEATS && max !== Number.POSITIVE_INFINITY))
      throw new PatternError('too large a number of repetitions');
    if (min > max) throw new PatternError('numbers of repetitions out of order');
    return { min, max };
  }

  #manner(): { readonly greedy: boolean; readonly isPossessive: boolean } {
    const { U } = this.#options;
    if (this.#reader.take('+')) return { greedy: true, isPossessive: true };
    if (this.#reader.take('?')) return { greedy: U, isPossessive: false };
    return { greedy: !U, isPossessive: false };
  }

  /** What follows an opening parenthesis, up to the closing one; undefined for options, which hold from here on. */
  #group(): PatternNode | undefined {
    const reader = this.#reader;
    if (reader.take('*')) return this.#named(reader.until(':'));
    if (!reader.take('?')) return this.#options.n ? this.#inside() : this.#capture();
    if (reader.take(':')) return this.#inside();
    if (reader.take('>')) return { kind: 'atomic', of: this.#inside() };
    if (reader.take('=')) return this.#look('ahead', false);
    if (reader.take('!')) return this.#look('ahead', true);
    if (reader.take('<=')) return this.#look('behind', false);
    if (reader.take('<!')) return this.#look('behind', true);
    if (reader.take('P=')) return this.#reference(checkedName(reader.until(')')));
    if (reader.take('P<') || reader.take('<')) return this.#capture(checkedName(reader.until('>')));
    if (reader.take("'")) return this.#capture(checkedName(reader.until("'")));
    if (reader.take('(')) return this.#condition();
    return this.#changed();
  }

  /** `(*atomic:…)` and its like. */
  #named(name: string): PatternNode {
    switch (name) {
      case 'atomic':
        return { kind: 'atomic', of: this.#inside() };
      case 'pla':
      case 'positive_lookahead':
        return this.#look('ahead', false);
      case 'nla':
      case 'negative_lookahead':
        return this.#look('ahead', true);
      case 'plb':
      case 'positive_lookbehind':
        return this.#look('behind', false);
      case 'nlb':
      case 'negative_lookbehind':
        return this.#look('behind', true);
      default:
        throw new PatternError(`(*${name}) is not supported`);
    }
  }

  /** The rest of a group, for which options count that are set in it. */
  #inside(): PatternNode {
    if (++this.#depth > MAX_NESTED_GROUPS) throw new PatternError('groups are nested too deeply');
    const outer = this.#options;
    const node = this.#alternatives();
    if (!this.#reader.take(')')) throw new PatternError('a group has no closing parenthesis');
    this.#options = outer;
    this.#depth -= 1;
    return node;
  }

  #capture(name?: string): PatternNode {
    const group = ++this.#groups;
    if (name !== undefined) {
      if (this.#names.has(name)) throw new PatternError(`two groups are called ${name}`);
      this.#names.set(name, group);
    }
    return { kind: 'capture', group, of: this.#inside() };
  }

  #look(kind: 'ahead' | 'behind', negate: boolean): PatternNode {
    this.#lookarounds += 1;
    const of = this.#inside();
    this.#lookarounds -= 1;
    if (kind === 'behind') {
      for (const branch of of.kind === 'alternatives' ? of.of : [of]) {
        const [min, max] = widthOf(branch);
        if (min !== max) throw new PatternError('a look behind has no fixed length');
      }
    }
    return { kind, negate, of };
  }

  /** `(?(1)yes|no)`, `(?(<name>)yes|no)`. */
  #condition(): PatternNode {
    const text = this.#reader.until(')');
    const relative = /^([+-]?)(\d+)$/.exec(text);
    const name = /^(?:<([^>]*)>|'([^']*)')$/.exec(text);
    if (!relative && !name) throw new PatternError('conditions are about groups; others are not supported');
    const of = relative ? this.#absolute(relative[1]!, Number(relative[2])) : checkedName(name![1] ?? name![2]!);
    const inside = this.#inside();
    const branches = inside.kind === 'alternatives' ? inside.of : [inside];
    if (branches.length > 2) throw new PatternError('a condition has more than two branches');
    const node = { kind: 'ifGroup' as const, group: 0, yes: branches[0]!, no: branches[1] ?? EMPTY };
    this.#references.push({ node, of });
    return node;
  }

  /** `(?i)`, `(?i-m:…)`, `(?^)`. */
  #changed(): PatternNode | undefined {
    const reader = this.#reader;
    const outer = this.#options;
    let options: Options = reader.take('^')
      ? { ...outer, i: false, m: false, s: false, x: false, xx: false, n: false }
      : outer;
    const mayUnset = options === outer;
    let on = true;
    for (;;) {
      if (reader.take(')')) {
        this.#options = options;
        return undefined;
      }
      if (reader.take(':')) {
        this.#options = options;
        const node = this.#inside();
        this.#options = outer;
        return node;
      }
      if (on && mayUnset && reader.take('-')) on = false;
      else options = withOption(options, reader, on);
    }
  }
}

function withOption(options: Options, reader: PatternReader, on: boolean): Options {
  if (reader.take('xx')) return { ...options, x: on, xx: on };
  const flag = reader.next();
  if (flag === 'x') return { ...options, x: on, xx: false };
  if (/^[imnsU]$/.test(flag)) return { ...options, [flag]: on };
  throw new PatternError(`(?${flag} is not known or not supported`);
}

function ofSet(set: CharacterSet): PatternNode {
  return { kind: 'set', set };
}

function except(exact: readonly Range[]): CharacterSet {
  return { ranges: [], exact, negate: true, ignoreCase: false };
}

function exactly(...exact: Range[]): PatternNode {
  return ofSet({ ranges: [], exact, negate: false, ignoreCase: false });
}

/** `\R`: one end of a line, as Unicode has it. */
const LINE_BREAK: PatternNode = {
  kind: 'atomic',
  of: {
    kind: 'alternatives',
    of: [
      { kind: 'sequence', of: [exactly([13, 13]), exactly([10, 10])] },
      exactly([10, 13], [0x85, 0x85], [0x2028, 0x2029]),
    ],
  },
};
