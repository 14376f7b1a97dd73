import type { BsonValue } from '@replsim/protocol';
import type { Nearness, Variables } from '@replsim/query';
import type { DocumentScores } from './documentScores.ts';

/** What `$$` names stand for in one operation, and the chance from which its `$rand` draws. */
export class OperationVariables extends Map<string, BsonValue> implements Variables {
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
