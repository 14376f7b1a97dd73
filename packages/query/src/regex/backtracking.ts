/**
 * Patterns that no automaton can match, such as those with look-around or references to groups: searched step by step, with a
 * bound on the steps, as PCRE does. Upstream: pcre2_match.c, and MATCH_LIMIT of its configuration.
 */
import { CommandError } from '@replsim/protocol';
import { type Compiled, compileProgram, type Instruction, MATCH_START, type Program } from './program.ts';
import type { Regex, RegexMatch } from './search.ts';
import type { Pattern } from './syntax.ts';

/** How many steps a pattern may save up, at which PCRE gives up the search in one text. */
const MATCH_LIMIT = 10_000_000;
/** What each character of a text adds, so that a scan costs a multiple of what it reads, and no document can spend the whole. */
const STEPS_PER_CHARACTER = 200;

/** A pattern that is searched so. Throws PatternError if it is too large. */
export function compileBacktracking(pattern: Pattern): Regex {
  return new BacktrackingRegex(compileProgram(pattern));
}

class BacktrackingRegex implements Regex {
  readonly #compiled: Compiled;
  #left = MATCH_LIMIT;
  #text = '';
  /** Where the search began. */
  #from = 0;
  #slots: number[] = [];

  constructor(compiled: Compiled) {
    this.#compiled = compiled;
  }

  test(text: string): boolean {
    return this.exec(text, 0) !== undefined;
  }

  exec(text: string, from: number): RegexMatch | undefined {
    this.#left = Math.min(MATCH_LIMIT, this.#left + STEPS_PER_CHARACTER * (text.length - from + 1));
    this.#text = text;
    this.#from = from;
    for (let index = from; index <= text.length; index = this.#after(index)) {
      this.#slots = new Array(this.#compiled.slots).fill(-1);
      const end = this.#run(this.#compiled.program, index);
      if (end < 0) continue;
      const kept = this.#slots[MATCH_START]!;
      const start = kept < 0 ? index : kept;
      return { index: start, text: text.slice(start, end), captures: this.#captures() };
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
        place = this.#following(instruction, place, position);
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

  /** Where the program goes on. */
  #following(instruction: Instruction, place: number, position: number): number {
    switch (instruction.op) {
      case 'split':
      case 'jump':
        return instruction.to;
      case 'progress':
        return this.#slots[instruction.slot] === position ? instruction.to : place + 1;
      case 'ifGroup':
        return this.#group(instruction.group) === undefined ? instruction.or : place + 1;
      default:
        return place + 1;
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
      case 'ifGroup':
        return position;
      case 'textStart':
        return position === 0 ? position : -1;
      case 'searchStart':
        return position === this.#from ? position : -1;
      case 'textEnd':
        return position === this.#text.length ? position : -1;
      case 'lastLineEnd':
        return position === this.#text.length || this.#isLastNewline(position) ? position : -1;
      // No line begins behind the newline that ends the text.
      case 'lineStart':
        return position === 0 || (this.#text[position - 1] === '\n' && position < this.#text.length) ? position : -1;
      case 'lineEnd':
        return position === this.#text.length || this.#text[position] === '\n' ? position : -1;
      case 'word':
        return (this.#isWord(position - 1) !== this.#isWord(position)) !== instruction.negate ? position : -1;
      case 'again':
        return this.#again(this.#group(instruction.group), instruction.ignoreCase, position);
      case 'atomic':
        return this.#once(instruction.program, position, undone);
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
  #again(held: string | undefined, ignoreCase: boolean, position: number): number {
    if (held === undefined) return -1;
    const end = position + held.length;
    const here = this.#text.slice(position, end);
    this.#left -= held.length;
    const same = here === held || (ignoreCase && here.toLowerCase() === held.toLowerCase());
    return same && here.length === held.length ? end : -1;
  }

  /** A look around is tried once: what it noted stays if it holds, and none of its other ways is tried again. */
  #looks(negate: boolean, undone: number[], holds: () => boolean): boolean {
    const before = [...this.#slots];
    this.#left -= before.length;
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

  /** Where a program ends, which is tried once: what it noted stays, and none of its other ways is tried again. */
  #once(program: Program, position: number, undone: number[]): number {
    let end = -1;
    const holds = () => {
      end = this.#run(program, position);
      return end >= 0;
    };
    return this.#looks(false, undone, holds) ? end : -1;
  }

  #endsAt({ program, widths }: Instruction & { op: 'behind' }, position: number): boolean {
    return widths.some((width) => {
      let start = position;
      for (let back = 0; back < width; back++) {
        if (start === 0) return false;
        start = this.#before(start);
      }
      return this.#run(program, start, position) >= 0;
    });
  }

  #isLastNewline(position: number): boolean {
    return position === this.#text.length - 1 && this.#text[position] === '\n';
  }
}

function tooManySteps(): CommandError {
  return new CommandError(
    51156,
    'Error occurred while executing the regular expression. Result code: match limit exceeded',
  );
}
