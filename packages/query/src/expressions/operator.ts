import type { BsonValue } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import type { Meter } from '../turns/meter.ts';
import type { Parts } from '../turns/parts.ts';

/** What an operator is given, or gives: undefined is a missing value. */
export type Operand = BsonValue | undefined;

/** Computes a value from a document; undefined is a missing value. */
export type Expression = (document: Uint8Array) => BsonValue | undefined;

/** What is asked of the arguments of a call that have names. */
interface Naming {
  /** Names of what is taken as it stands, and is no expression. */
  readonly constants?: readonly string[];
  /** Names of what `check` lets be no other than a list of expressions. They come one by one: an array of them would be a copy of each. */
  readonly lists?: readonly string[];
  /** Looks further than `rules.ts` at what was given, before there is a document. */
  readonly check?: (fields: ReadonlyMap<string, BsonValue>) => void;
}

/** Only names that were given are there; what was given and is missing is undefined. */
type NamedOperands = Readonly<Record<string, Operand>>;

/** Those of lists, of which one that is missing is in its place as undefined. */
export type NamedLists = Readonly<Record<string, readonly Operand[]>>;

/**
 * What an operator makes of its arguments, once they are computed. Their number, or their names, `rules.ts` has looked at. What goes through
 * elements or letters, of which a client may send millions, does so in parts: `listOf` gives a list to no other.
 */
export type Operator =
  | { readonly positional: (args: readonly Operand[], collator: Collator | undefined) => Operand }
  | { readonly positionalInParts: (args: readonly Operand[], collator: Collator | undefined) => Parts<Operand> }
  | (Naming & { readonly named: (args: NamedOperands, collator: Collator | undefined) => Operand })
  | (Naming & {
      readonly namedInParts: (args: NamedOperands, collator: Collator | undefined, lists: NamedLists) => Parts<Operand>;
    });

/** By their names, with the dollar. */
export type Operators = Readonly<Record<string, Operator>>;

/** A variable that an operator binds, and gives another value for each of what it goes through. */
export interface Cell {
  value: Operand;
}

/** Compiles an inner expression. @param cells more variables, by their names */
export type CompileInner = (value: BsonValue, cells?: Readonly<Record<string, Cell>>) => Expression;

/** An operator that does not compute all of its arguments, or some of them many times. */
export type Control = (operand: BsonValue, compile: CompileInner, meter: Meter | undefined) => Expression;
