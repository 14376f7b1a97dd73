import type { BsonValue } from '@replsim/protocol';
import type { Collator, Expression, Nearness, Variables } from '@replsim/query';
import type { DocumentScores } from './documentScores.ts';
import { compileComputed } from './expressions.ts';
import type { MingoWorld } from './mingoSpec.ts';

/** What `$$` names stand for in one operation, and the chance from which its `$rand` draws. */
export class OperationVariables extends Map<string, BsonValue> {
  readonly random: (() => number) | undefined;
  /** Once the operation has a search. */
  textScores: DocumentScores | undefined;
  /** Of a `find` that asks for what is near. */
  nearness: Nearness | undefined;

  /** @param random from 0 up to 1 */
  constructor(random: (() => number) | undefined, variables: Iterable<readonly [string, BsonValue]>) {
    super(variables);
    this.random = random;
  }
}

/**
 * Compiles an expression of a filter or a projection: those of aggregations. There is no chance outside of an operation, as what
 * a validator says of a document must not change. Errors: CommandNotSupported 115 for a `$rand` there, those of expressions.
 */
export function expressionOf(value: BsonValue, variables: Variables, collator?: Collator): Expression {
  return compileComputed(value, expressionWorld(variables, collator));
}

/** What the expressions of an operation see beside the document. */
export function expressionWorld(variables: Variables, collator: Collator | undefined): MingoWorld {
  const random = variables instanceof OperationVariables ? variables.random : undefined;
  return { filterVariables: variables, random, collator };
}
