/** A pattern as a list of instructions, for a matcher that counts its steps. */
import type { AST } from '@eslint-community/regexpp';

/** What a code point must pass to be taken. */
export type CodePointTest = (codePoint: number) => boolean;

/** One instruction; `to` and `or` are places in the program. */
export type Instruction =
  | { readonly op: 'take'; readonly test: CodePointTest }
  /** Goes on at `to`, and if that fails at `or`. */
  | { op: 'split'; to: number; or: number }
  | { op: 'jump'; to: number }
  /** Notes the position in a slot. */
  | { readonly op: 'save'; readonly slot: number }
  /** Fails if nothing was taken since the position was noted. */
  | { readonly op: 'progress'; readonly slot: number }
  | { readonly op: 'start' | 'end' }
  | { readonly op: 'word'; readonly negate: boolean }
  | { readonly op: 'again'; readonly group: number }
  | { readonly op: 'ahead'; readonly negate: boolean; readonly program: Program }
  /** @property min and max: how many code points back it may begin */
  | {
      readonly op: 'behind';
      readonly negate: boolean;
      readonly program: Program;
      readonly min: number;
      readonly max: number;
    }
  | { readonly op: 'matched' };

export type Program = readonly Instruction[];

/** A program, and what it needs to run. */
export interface Compiled {
  readonly program: Program;
  readonly groups: number;
  readonly slots: number;
}

/** Repetitions are written out; a pattern that needs more room than that is not compiled. */
const MAX_INSTRUCTIONS = 20_000;

interface Flags {
  readonly i: boolean;
  readonly s: boolean;
}

/** What cannot be compiled: a look-behind without a greatest length, too large a program. */
class Inexpressible extends Error {}

/** The program of a parsed pattern, undefined if there can be none. */
export function compileProgram(pattern: AST.Pattern, groups: number, flags: Flags): Compiled | undefined {
  const writer = new ProgramWriter(groups, flags);
  try {
    const program = writer.write(pattern.alternatives);
    return { program, groups, slots: writer.slots };
  } catch (error) {
    if (error instanceof Inexpressible) return undefined;
    throw error;
  }
}

class ProgramWriter {
  /** Two for the whole match and for each group, then one for each loop. */
  slots: number;
  readonly #flags: Flags;
  readonly #groups = new Map<AST.CapturingGroup, number>();
  #room = MAX_INSTRUCTIONS;
  #program: Instruction[] = [];

  constructor(groups: number, flags: Flags) {
    this.slots = 2 * (groups + 1);
    this.#flags = flags;
  }

  /** A program of its own. */
  write(alternatives: readonly AST.Alternative[]): Program {
    const outer = this.#program;
    const own: Instruction[] = [];
    this.#program = own;
    this.#alternatives(alternatives);
    this.#add({ op: 'matched' });
    this.#program = outer;
    return own;
  }

  #add<T extends Instruction>(instruction: T): T {
    if (--this.#room < 0) throw new Inexpressible();
    this.#program.push(instruction);
    return instruction;
  }

  get #here(): number {
    return this.#program.length;
  }

  #alternatives(alternatives: readonly AST.Alternative[]): void {
    const jumps: { to: number }[] = [];
    alternatives.forEach(({ elements }, i) => {
      const isLast = i === alternatives.length - 1;
      const split = isLast ? undefined : this.#add({ op: 'split', to: this.#here + 1, or: 0 });
      for (const element of elements) this.#element(element);
      if (!split) return;
      jumps.push(this.#add({ op: 'jump', to: 0 }));
      split.or = this.#here;
    });
    for (const jump of jumps) jump.to = this.#here;
  }

  #element(element: AST.Element): void {
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
        this.#add({ op: 'take', test: codePointTest(element, this.#flags) });
        return;
      case 'Group':
        this.#alternatives(element.alternatives);
        return;
      case 'CapturingGroup': {
        const group = this.#groupOf(element);
        this.#add({ op: 'save', slot: 2 * group });
        this.#alternatives(element.alternatives);
        this.#add({ op: 'save', slot: 2 * group + 1 });
        return;
      }
      case 'Backreference':
        if (Array.isArray(element.resolved)) throw new Inexpressible();
        this.#add({ op: 'again', group: this.#groupOf(element.resolved as AST.CapturingGroup) });
        return;
      case 'Assertion':
        this.#assertion(element);
        return;
      case 'Quantifier':
        this.#quantifier(element);
        return;
      default:
        throw new Inexpressible();
    }
  }

  /** Groups are numbered in the order of their opening parentheses, whatever order they are come by in. */
  #groupOf(group: AST.CapturingGroup): number {
    const known = this.#groups.get(group);
    if (known !== undefined) return known;
    let root: AST.Node = group;
    while (root.parent) root = root.parent;
    const opened = groupsIn(root as AST.Pattern).sort((a, b) => a.start - b.start);
    opened.forEach((each, i) => {
      this.#groups.set(each, i + 1);
    });
    return this.#groups.get(group)!;
  }

  #assertion(assertion: AST.Assertion): void {
    switch (assertion.kind) {
      case 'start':
        this.#add({ op: 'start' });
        return;
      case 'end':
        this.#add({ op: 'end' });
        return;
      case 'word':
        this.#add({ op: 'word', negate: assertion.negate });
        return;
      case 'lookahead':
        this.#add({ op: 'ahead', negate: assertion.negate, program: this.write(assertion.alternatives) });
        return;
      case 'lookbehind': {
        const [min, max] = widthOf(assertion.alternatives);
        if (max === Number.POSITIVE_INFINITY) throw new Inexpressible();
        this.#add({ op: 'behind', negate: assertion.negate, program: this.write(assertion.alternatives), min, max });
      }
    }
  }

  #quantifier({ element, min, max, greedy }: AST.Quantifier): void {
    for (let i = 0; i < min; i++) this.#element(element);
    if (max === Number.POSITIVE_INFINITY) {
      const slot = this.slots++;
      const split = this.#add({ op: 'split', to: 0, or: 0 });
      const place = this.#here - 1;
      const body = this.#here;
      this.#add({ op: 'save', slot });
      this.#element(element);
      this.#add({ op: 'progress', slot });
      this.#add({ op: 'jump', to: place });
      this.#prefer(split, greedy, body, this.#here);
      return;
    }
    const splits = Array.from({ length: max - min }, () => {
      const split = this.#add({ op: 'split', to: 0, or: 0 });
      const body = this.#here;
      this.#element(element);
      return { split, body };
    });
    for (const { split, body } of splits) this.#prefer(split, greedy, body, this.#here);
  }

  #prefer(split: { to: number; or: number }, greedy: boolean, body: number, behind: number): void {
    split.to = greedy ? body : behind;
    split.or = greedy ? behind : body;
  }
}

function groupsIn(node: AST.Pattern | AST.Element): AST.CapturingGroup[] {
  if (node.type === 'Quantifier') return groupsIn(node.element);
  if (!('alternatives' in node)) return [];
  const inside = node.alternatives.flatMap(({ elements }) => elements.flatMap(groupsIn));
  return node.type === 'CapturingGroup' ? [node, ...inside] : inside;
}

/** How many code points the alternatives take at least and at most. */
function widthOf(alternatives: readonly AST.Alternative[]): [min: number, max: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  for (const { elements } of alternatives) {
    let [min, max] = [0, 0];
    for (const element of elements) {
      const [from, to] = elementWidth(element);
      min += from;
      max += to;
    }
    least = Math.min(least, min);
    most = Math.max(most, max);
  }
  return [least, most];
}

function elementWidth(element: AST.Element): [min: number, max: number] {
  switch (element.type) {
    case 'Assertion':
      return [0, 0];
    case 'Group':
    case 'CapturingGroup':
      return widthOf(element.alternatives);
    case 'Backreference':
      return [0, Number.POSITIVE_INFINITY];
    case 'Quantifier': {
      const [min, max] = elementWidth(element.element);
      return [min * element.min, max === 0 ? 0 : max * element.max];
    }
    default:
      return [1, 1];
  }
}

/** A single character is never a search, so that JavaScript's engine may judge it. */
function codePointTest(element: AST.Character | AST.CharacterSet | AST.CharacterClass, { i, s }: Flags): CodePointTest {
  if (element.type === 'Character' && !i) return (codePoint) => codePoint === element.value;
  if (element.type === 'CharacterSet' && element.kind === 'any')
    return s ? () => true : (codePoint) => codePoint !== 10;
  if (element.type === 'CharacterSet' && element.kind === 'space') {
    return (codePoint) => ((codePoint >= 9 && codePoint <= 13) || codePoint === 32) !== element.negate;
  }
  const raw = element.type === 'Character' ? `\\u{${element.value.toString(16)}}` : element.raw;
  const single = singleOf(raw, i);
  return (codePoint) => single.test(String.fromCodePoint(codePoint));
}

function singleOf(raw: string, i: boolean): RegExp {
  const flags = i ? 'i' : '';
  try {
    return new RegExp(`^${raw}$`, `${flags}u`);
  } catch {
    // Harmless escapes such as `\-` are only known without it.
    return new RegExp(`^${raw}$`, flags);
  }
}
