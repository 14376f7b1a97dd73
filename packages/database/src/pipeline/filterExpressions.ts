import { type BsonValue, CommandError } from '@replsim/protocol';
import type { Collator, Expression, Variables } from '@replsim/query';
import { compileComputed } from './expressions.ts';

/**
 * Compiles an expression of a filter or a projection: those of aggregations, but no chance, as what a filter says of a
 * document must not change between two looks at it. Errors: CommandNotSupported 115 for `$rand`, those of expressions.
 */
export function expressionOf(value: BsonValue, variables: Variables, collator?: Collator): Expression {
  return compileComputed(value, { filterVariables: variables, random: noChance, collator });
}

function noChance(): number {
  throw new CommandError('CommandNotSupported', '$rand is not supported by replsim outside of pipelines');
}
