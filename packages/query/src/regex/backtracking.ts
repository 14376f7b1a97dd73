/**
 * Patterns that no automaton can match, such as those with look-around or references to groups: searched step by step, with a
 * bound on the steps, as PCRE does. Upstream: pcre2_match.c, and MATCH_LIMIT of its configuration.
 */
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { CommandError } from '@replsim/protocol';
import { type Compiled, compileProgram, type Instruction, type Program } from './program.ts';
import type { Regex, RegexMatch } from './search.ts';

/** How many steps a pattern may save up, at which PCRE gives up the search in one text. */
const MATCH_LIMIT = 10_000_000;
/** What each character of a text adds, so that a scan costs a multiple of what it reads, and no document can spend the whole. */
const STEPS_PER_CHARACTER = 200;

/** A pattern of JavaScript's syntax; undefined if it is none, or cannot be bounded. */
export function compileBacktracking(source: string, flags: string): Regex | undefined {
  const pattern = parse(source);
  if (!pattern) return undefined;
  const groups = captureCount(pattern);
  const compiled = compileProgram(pattern, groups, { i: flags.includes('i'), s: flags.includes('s') });
  return compiled && new BacktrackingRegex(compiled, flags);
}

function parse(source: string): AST.Pattern | undefined {
  const parser = new RegExpParser({ ecmaVersion: 2024 });
  // Unicode mode reads characters as PCRE does, but refuses harmless escapes such as `\-`.
  for (const unicode of [true, false]) {
    try {
      return parser.parsePattern(source, 0, source.length, { unicode });
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

function captureCount(pattern: AST.Pattern): number {
  let count = 0;
  const walk = (alternatives: readonly AST.Alternative[]): void => {
    for (const { elements } of alternatives) for (const element of elements) visit(element);
  };
  const visit = (element: AST.Element): void => {
    if (element.type === 'CapturingGroup') count += 1;
    if (element.type === 'Quantifier') visit(element.element);
    else if ('alternatives' in element) walk(element.alternatives);
  };
  walk(pattern.alternatives);
  return count;
}

class BacktrackingRegex implements Regex {
  readonly #compiled: Compiled;
  readonly #multiline: boolean;
  readonly #ignoreCase: boolean;
  #left = MATCH_LIMIT;
  #text = '';
  #slots: number[] = [];

  constructor(compiled: Compiled, flags: string) {
    this.#compiled = compiled;
    this.#multiline = flags.includes('m');
    this.#ignoreCase = flags.includes('i');
  }

  test(text: string): boolean {
    return this.exec(text, 0) !== undefined;
  }

  exec(text: string, from: number): RegexMatch | undefined {
    this.#left = Math.min(MATCH_LIMIT, this.#left + STEPS_PER_CHARACTER * (text.length - from + 1));
    this.#text = text;
    for (let index = from; index <= text.length; index = this.#after(index)) {
      this.#slots = new Array(this.#compiled.slots).fill(-1);
      const end = this.#run(this.#compiled.program, index);
      if (end >= 0) return { index, text: text.slice(index, end), captures: this.#captures() };
    }
    return undefined;
  }

  #captures(): (string | undefined)[] {
    return Array.from({ length: this.#compiled.groups }, (_, i) => this.#group(i + 1));
  }

  #group(group: number): string | undefined {
    const from = this.#slots[2 * group]!;
    const to = this.#slots[2 * group + 1]!;
    return from < 0 || to < from ? undefined : this.#text.slice(from, to);
  }

  #after(position: number): number {
    return position + ((this.#text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1);
  }

  #before(position: number): number {
    const isPair = position > 1 && (this.#text.codePointAt(position - 2) ?? 0) > 0xffff;
    return position - (isPair ? 2 : 1);
  }

  /**
   * Where a match that begins here ends, or -1. What was noted in slots on the way of a failure is taken back.
   * @param wanted where it has to end, if that is not all the same
   */
  #run(program: Program, start: number, wanted = -1): number {
    // Choices that are left, and what slots held before, the newest last: [place, position] or [-1 - slot, value].
    const undone: number[] = [];
    let place = 0;
    let position = start;
    for (;;) {
      if (--this.#left < 0) throw tooManySteps();
      const instruction = program[place]!;
      const isOver = instruction.op === 'matched';
      if (isOver && (wanted < 0 || position === wanted)) return position;
      const next = isOver ? -1 : this.#step(instruction, position, undone);
      if (next >= 0) {
        place = instruction.op === 'split' || instruction.op === 'jump' ? instruction.to : place + 1;
        position = next;
        continue;
      }
      for (;;) {
        const at = undone.length - 2;
        if (at < 0) return -1;
        place = undone[at]!;
        position = undone[at + 1]!;
        undone.length = at;
        if (place >= 0) break;
        this.#slots[-1 - place] = position;
      }
    }
  }

  /** The position behind an instruction, or -1 if it fails. */
  #step(instruction: Instruction, position: number, undone: number[]): number {
    switch (instruction.op) {
      case 'take': {
        const codePoint = this.#text.codePointAt(position);
        return codePoint !== undefined && instruction.test(codePoint) ? this.#after(position) : -1;
      }
      case 'split':
        undone.push(instruction.or, position);
        return position;
      case 'save':
        this.#note(instruction.slot, position, undone);
        return position;
      case 'progress':
        return this.#slots[instruction.slot] === position ? -1 : position;
      case 'start':
        return position === 0 || (this.#multiline && this.#text[position - 1] === '\n') ? position : -1;
      case 'end':
        return position === this.#text.length || (this.#multiline && this.#text[position] === '\n') ? position : -1;
      case 'word':
        return (this.#isWord(position - 1) !== this.#isWord(position)) !== instruction.negate ? position : -1;
      case 'again':
        return this.#again(this.#group(instruction.group), position);
      case 'ahead':
        return this.#looks(instruction.negate, undone, () => this.#run(instruction.program, position) >= 0)
          ? position
          : -1;
      case 'behind':
        return this.#looks(instruction.negate, undone, () => this.#endsAt(instruction, position)) ? position : -1;
      default:
        return position;
    }
  }

  #note(slot: number, value: number, undone: number[]): void {
    undone.push(-1 - slot, this.#slots[slot]!);
    this.#slots[slot] = value;
  }

  #isWord(position: number): boolean {
    return /^\w$/.test(this.#text[position] ?? '');
  }

  /** A group that took no part matches nothing, as in PCRE; in JavaScript it would match the empty text. */
  #again(held: string | undefined, position: number): number {
    if (held === undefined) return -1;
    const end = position + held.length;
    const here = this.#text.slice(position, end);
    this.#left -= held.length;
    const same = here === held || (this.#ignoreCase && here.toLowerCase() === held.toLowerCase());
    return same && here.length === held.length ? end : -1;
  }

  /** A look around is tried once: what it noted stays if it holds, and none of its other ways is tried again. */
  #looks(negate: boolean, undone: number[], holds: () => boolean): boolean {
    const before = [...this.#slots];
    const found = holds();
    if (!found || negate) {
      this.#slots = before;
      return found !== negate;
    }
    before.forEach((value, slot) => {
      if (value !== this.#slots[slot]) undone.push(-1 - slot, value);
    });
    return true;
  }

  #endsAt({ program, min, max }: Instruction & { op: 'behind' }, position: number): boolean {
    let start = position;
    for (let back = 0; back <= max; back++) {
      if (back >= min && this.#run(program, start, position) >= 0) return true;
      if (start === 0) return false;
      start = this.#before(start);
    }
    return false;
  }
}

function tooManySteps(): CommandError {
  return new CommandError(
    51156,
    'Error occurred while executing the regular expression. Result code: match limit exceeded',
  );
}
