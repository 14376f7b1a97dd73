import { type BsonValue, ElementCursor, encodeDocument, IdSource } from '@replsim/protocol';
import { compileCollator } from '@replsim/query';
import { Decimal128, Double, Int32, Long } from 'bson';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equalityIn } from '../../src/stages/equalJoin.ts';
import { OperationVariables } from '../../src/stages/operationVariables.ts';
import { runStages } from '../../src/stages/runStages.ts';
import { parseStages } from '../../src/stages/stages.ts';
import { atOnce } from '../../src/stages/work.ts';

// Whether a `$lookup` looks up what equals a variable, or compares it with each document, it finds the same.

function bsonOf(value: unknown): BsonValue {
  const cursor = new ElementCursor(encodeDocument({ value }));
  cursor.next();
  return cursor.value();
}

const stageOf = (stage: object) => parseStages([bsonOf(stage)])[0];
const NAMES = new Set(['x']);
const match = (expression: unknown) => stageOf({ $match: { $expr: expression } });

describe('which equality is one', () => {
  test.for([
    { $eq: ['$a', '$$x'] },
    { $eq: ['$$x', '$a.b'] },
    { $eq: ['$a', '$$x.y'] },
    { $and: [{ $eq: ['$a', '$$x'] }, { $divide: [1, '$b'] }] },
    { $and: [{ $gt: ['$b', 3] }, { $eq: ['$a', '$$x'] }] },
    { $and: [{ $and: [{ $eq: ['$a', '$$x'] }] }] },
  ])('%j', (expression) => {
    expect(equalityIn(match(expression), NAMES)).toBeDefined();
  });

  test.for([
    { $eq: ['$a', '$$y'] },
    { $eq: ['$a', '$b'] },
    { $eq: ['$$x', '$$x'] },
    { $eq: ['$a', 3] },
    { $eq: [{ $abs: '$a' }, '$$x'] },
    { $gt: ['$a', '$$x'] },
    { $or: [{ $eq: ['$a', '$$x'] }, true] },
    // An error in front of it would be met no more.
    { $and: [{ $divide: [1, '$b'] }, { $eq: ['$a', '$$x'] }] },
    '$a',
  ])('none in %j', (expression) => {
    expect(equalityIn(match(expression), NAMES)).toBeUndefined();
  });

  test('none in another stage, nor beside other conditions', () => {
    expect(equalityIn(stageOf({ $project: { a: 1 } }), NAMES)).toBeUndefined();
    expect(equalityIn(stageOf({ $match: { $expr: { $eq: ['$a', '$$x'] }, b: 1 } }), NAMES)).toBeUndefined();
    expect(equalityIn(undefined, NAMES)).toBeUndefined();
  });
});

const leaf = fc.constantFrom<unknown>(
  ...[null, undefined, true, false, '', 'a', 'A', 'á', new Date(0), new Date(1)],
  ...[0, 1, -0, Number.NaN].flatMap((n) => [new Int32(n), new Double(n), Decimal128.fromString(String(n))]),
  ...[Long.fromNumber(1), new Double(0.1), Decimal128.fromString('0.10'), Decimal128.fromString('1E+0')],
);
const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 2 }), fc.record({ a: leaf }), fc.record({ b: leaf, a: leaf }));
const document = fc.oneof(value.map((a) => (a === undefined ? {} : { a })));

test.for([undefined, { locale: 'en', strength: 1 }])(
  'finds what a comparison finds, with the collation %j',
  (collation) => {
    const collator = collation && compileCollator(encodeDocument(collation));
    fc.assert(
      fc.property(fc.array(document, { maxLength: 12 }), fc.array(document, { maxLength: 12 }), (locals, others) => {
        const [input, foreign] = [locals, others].map((list) => list.map((each) => encodeDocument(each)));
        const found = (condition: unknown) => {
          const filterVariables = new OperationVariables(undefined, []);
          const world = {
            ...{ filterVariables, meter: filterVariables.meter, collator, ids: new IdSource([1, 2]) },
            collection: function* () {
              return foreign!;
            },
            checkJoins: () => {},
            searchIn: () => undefined as never,
          };
          const pipeline = [{ $match: { $expr: condition } }];
          const lookup = { from: 'others', let: { x: '$a' }, pipeline, as: 'found' };
          return atOnce(runStages(parseStages([bsonOf({ $lookup: lookup })]), input!, world)).map(shown);
        };
        // What is no path is looked up nowhere.
        expect(found({ $eq: ['$a', '$$x'] })).toEqual(found({ $eq: [{ $cond: [true, '$a', 0] }, '$$x'] }));
      }),
    );
  },
);

function shown(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
