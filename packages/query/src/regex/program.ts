/** A pattern as a list of instructions, for a matcher that counts its steps. */
import { testOf } from './characterSet.ts';
import { PatternError } from './patternError.ts';
import { type Pattern, type PatternNode, type Repeat, widthOf } from './syntax.ts';

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
  /** Leaves a loop for `to` if nothing was taken since the position was noted. */
  | { readonly op: 'progress'; readonly slot: number; to: number }
  | { readonly op: 'lineStart' | 'lineEnd' | 'lastLineEnd' | 'textStart' | 'textEnd' | 'searchStart' }
  | { readonly op: 'word'; readonly negate: boolean }
  | { readonly op: 'again'; readonly group: number; readonly ignoreCase: boolean }
  /** Goes on at `or` if a group has not taken part. */
  | { readonly op: 'ifGroup'; readonly group: number; or: number }
  | { readonly op: 'atomic'; readonly program: Program }
  | { readonly op: 'ahead'; readonly negate: boolean; readonly program: Program }
  /** @property widths how many code points back it may begin, a branch each */
  | {
      readonly op: 'behind';
      readonly negate: boolean;
      readonly program: Program;
      readonly widths: readonly number[];
    }
  | { readonly op: 'matched' };

export type Program = readonly Instruction[];

/** A program, and what it needs to run. */
export interface Compiled {
  readonly program: Program;
  readonly groups: number;
  readonly slots: number;
}

/** Where the match begins, if `\K` has said so. Slot 1 is where it ends. */
export const MATCH_START = 0;

/** Repetitions are written out; a pattern that needs more room than that is not compiled. */
const MAX_INSTRUCTIONS = 20_000;

/** The program of a pattern. Throws PatternError if it is too large. */
export function compileProgram({ root, groups }: Pattern): Compiled {
  const writer = new ProgramWriter(groups);
  const program = writer.write(root);
  return { program, groups, slots: writer.slots };
}

class ProgramWriter {
  /** Two for the whole match and for each group, then one for each loop. */
  slots: number;
  #room = MAX_INSTRUCTIONS;
  #program: Instruction[] = [];

  constructor(groups: number) {
    this.slots = 2 * (groups + 1);
  }

  /** A program of its own. */
  write(node: PatternNode): Program {
    const outer = this.#program;
    const own: Instruction[] = [];
    this.#program = own;
    this.#node(node);
    this.#add({ op: 'matched' });
    this.#program = outer;
    return own;
  }

  #add<T extends Instruction>(instruction: T): T {
    if (--this.#room < 0) throw new PatternError('the pattern is too large');
    this.#program.push(instruction);
    return instruction;
  }

  get #here(): number {
    return this.#program.length;
  }

  #alternatives(alternatives: readonly PatternNode[]): void {
    const jumps: { to: number }[] = [];
    alternatives.forEach((alternative, i) => {
      const isLast = i === alternatives.length - 1;
      const split = isLast ? undefined : this.#add({ op: 'split', to: this.#here + 1, or: 0 });
      this.#node(alternative);
      if (!split) return;
      jumps.push(this.#add({ op: 'jump', to: 0 }));
      split.or = this.#here;
    });
    for (const jump of jumps) jump.to = this.#here;
  }

  #node(node: PatternNode): void {
    switch (node.kind) {
      case 'set':
        this.#add({ op: 'take', test: testOf(node.set) });
        return;
      case 'sequence':
        for (const each of node.of) this.#node(each);
        return;
      case 'alternatives':
        this.#alternatives(node.of);
        return;
      case 'capture':
        this.#add({ op: 'save', slot: 2 * node.group });
        this.#node(node.of);
        this.#add({ op: 'save', slot: 2 * node.group + 1 });
        return;
      case 'atomic':
        this.#add({ op: 'atomic', program: this.write(node.of) });
        return;
      case 'ahead':
        this.#add({ op: 'ahead', negate: node.negate, program: this.write(node.of) });
        return;
      case 'behind': {
        const branches = node.of.kind === 'alternatives' ? node.of.of : [node.of];
        const widths = [...new Set(branches.map((branch) => widthOf(branch)[0]))];
        this.#add({ op: 'behind', negate: node.negate, program: this.write(node.of), widths });
        return;
      }
      case 'again':
        this.#add({ op: 'again', group: node.group, ignoreCase: node.ignoreCase });
        return;
      case 'keep':
        this.#add({ op: 'save', slot: MATCH_START });
        return;
      case 'word':
        this.#add({ op: 'word', negate: node.negate });
        return;
      case 'ifGroup': {
        const choice = this.#add({ op: 'ifGroup', group: node.group, or: 0 });
        this.#node(node.yes);
        const jump = this.#add({ op: 'jump', to: 0 });
        choice.or = this.#here;
        this.#node(node.no);
        jump.to = this.#here;
        return;
      }
      case 'repeat':
        this.#repeat(node);
        return;
      default:
        this.#add({ op: node.kind });
    }
  }

  #repeat({ of, min, max, greedy }: Repeat): void {
    for (let i = 0; i < min; i++) this.#node(of);
    if (max === Number.POSITIVE_INFINITY) {
      const slot = this.slots++;
      const split = this.#add({ op: 'split', to: 0, or: 0 });
      const place = this.#here - 1;
      const body = this.#here;
      this.#add({ op: 'save', slot });
      this.#node(of);
      const progress = this.#add({ op: 'progress', slot, to: 0 });
      this.#add({ op: 'jump', to: place });
      progress.to = this.#here;
      this.#prefer(split, greedy, body, this.#here);
      return;
    }
    const splits = Array.from({ length: max - min }, () => {
      const split = this.#add({ op: 'split', to: 0, or: 0 });
      const body = this.#here;
      this.#node(of);
      return { split, body };
    });
    for (const { split, body } of splits) this.#prefer(split, greedy, body, this.#here);
  }

  #prefer(split: { to: number; or: number }, greedy: boolean, body: number, behind: number): void {
    split.to = greedy ? body : behind;
    split.or = greedy ? behind : body;
  }
}
