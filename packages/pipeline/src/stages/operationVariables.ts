import type { BsonValue } from '@replsim/protocol';
import { Meter, type Nearness, type Variables } from '@replsim/query';
import type { DocumentScores } from './documentScores.ts';

/** What `$$` names stand for in one operation, and the chance from which its `$rand` draws. */
export class OperationVariables extends Map<string, BsonValue> implements Variables {
  readonly random: (() => number) | undefined;
  readonly meter: Meter;
  /** Once the operation has a search. */
  textScores: DocumentScores | undefined;
  /** Of a `find` that asks for what is near. */
  nearness: Nearness | undefined;

  /** @param random from 0 up to 1 @param meter of the operation, where that has one already */
  constructor(
    random: (() => number) | undefined,
    variables: Iterable<readonly [string, BsonValue]>,
    meter: Meter = new Meter(),
  ) {
    super(variables);
    this.random = random;
    this.meter = meter;
  }

  /** The same, with room for more of them. */
  static around({ random, meter }: Variables, variables: Iterable<readonly [string, BsonValue]>): OperationVariables {
    return new OperationVariables(random, variables, meter);
  }
}
