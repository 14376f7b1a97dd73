import { BsonWriter, decodePromoted, encodeDocument } from '@replsim/protocol';
import { BSONRegExp } from 'bson';
import { describe, expect, test } from 'vitest';
import { explainFailure } from '../src/index.ts';
import { doc } from './bson.ts';

const explain = (filter: object, document: object) =>
  decodePromoted(encodeDocument(explainFailure(doc(filter), doc(document))));

describe('why a document does not match', () => {
  test.for([
    [{ a: { $gt: 5 } }, { a: 1 }, { operatorName: '$gt', specifiedAs: { a: { $gt: 5 } }, reason: 'comparison failed', consideredValue: 1 }],
    [{ a: 5 }, { a: 1 }, { operatorName: '$eq', specifiedAs: { a: 5 }, reason: 'comparison failed', consideredValue: 1 }],
    [{ a: 5 }, {}, { operatorName: '$eq', specifiedAs: { a: 5 }, reason: 'field was missing' }],
    [{ a: { $type: 'int' } }, { a: 'x' }, { operatorName: '$type', specifiedAs: { a: { $type: 'int' } }, reason: 'type did not match', consideredValue: 'x', consideredType: 'string' }],
    [{ a: { $exists: true } }, {}, { operatorName: '$exists', specifiedAs: { a: { $exists: true } }, reason: 'path does not exist' }],
    [{ a: { $exists: false } }, { a: 1 }, { operatorName: '$exists', specifiedAs: { a: { $exists: false } }, reason: 'path does exist' }],
    [{ a: { $in: [1, 2] } }, { a: 3 }, { operatorName: '$in', specifiedAs: { a: { $in: [1, 2] } }, reason: 'no matching value found in array', consideredValue: 3 }],
    [{ a: { $regex: '^x', $options: 'i' } }, { a: 'y' }, { operatorName: '$regex', specifiedAs: { a: { $regex: '^x', $options: 'i' } }, reason: 'regular expression did not match', consideredValue: 'y' }],
    [{ 'a.b': 1 }, { a: [{ b: 2 }, { b: 3 }] }, { operatorName: '$eq', specifiedAs: { 'a.b': 1 }, reason: 'comparison failed', consideredValues: [2, 3] }],
    [{ a: 2 }, { a: [3, 4] }, { operatorName: '$eq', specifiedAs: { a: 2 }, reason: 'comparison failed', consideredValues: [3, 4] }],
    [{ a: 2 }, { a: [] }, { operatorName: '$eq', specifiedAs: { a: 2 }, reason: 'comparison failed', consideredValues: [] }],
    [{ a: 2 }, { a: Array(12).fill(1) }, { operatorName: '$eq', specifiedAs: { a: 2 }, reason: 'comparison failed', consideredValues: Array(10).fill(1), consideredValuesTruncated: true }],
    [{ a: { $ne: 2 } }, { a: 2 }, { operatorName: '$ne', specifiedAs: { a: { $ne: 2 } }, reason: 'comparison succeeded', consideredValue: 2 }],
    [{ a: { $nin: [2] } }, { a: 2 }, { operatorName: '$nin', specifiedAs: { a: { $nin: [2] } }, reason: 'matching value found in array', consideredValue: 2 }],
    [{ a: { $size: 1 } }, { a: [1, 2] }, { operatorName: '$size', specifiedAs: { a: { $size: 1 } }, reason: 'array length was not equal to given size', consideredValue: [1, 2] }],
    [{ a: { $size: 1 } }, { a: 1 }, { operatorName: '$size', specifiedAs: { a: { $size: 1 } }, reason: 'type did not match', consideredType: 'int', expectedType: 'array', consideredValue: 1 }],
    [{ a: /x/ }, { a: [1, true] }, { operatorName: '$regex', specifiedAs: { a: new BSONRegExp('x') }, reason: 'type did not match', consideredTypes: ['bool', 'int'], expectedTypes: ['regex', 'string', 'symbol'], consideredValues: [1, true] }],
    [{ a: { $bitsAllSet: 2 } }, { a: 1 }, { operatorName: '$bitsAllSet', specifiedAs: { a: { $bitsAllSet: 2 } }, reason: 'bitwise operator failed to match', consideredValue: 1 }],
    [{ a: { $not: { $lt: 10 } } }, { a: 9 }, { operatorName: '$not', details: { operatorName: '$lt', specifiedAs: { a: { $lt: 10 } }, reason: 'comparison succeeded', consideredValue: 9 } }],
    [{ a: { $not: { $not: { $lt: 10 } } } }, { a: 11 }, { operatorName: '$not', details: { operatorName: '$not', details: { operatorName: '$lt', specifiedAs: { a: { $lt: 10 } }, reason: 'comparison failed', consideredValue: 11 } } }],
    [{ a: { $not: /^S/ } }, { a: 'S' }, { operatorName: '$not', details: { operatorName: '$regex', specifiedAs: { a: new BSONRegExp('^S') }, reason: 'regular expression did match', consideredValue: 'S' } }],
    [{ a: { $not: { $ne: 2 } } }, { a: 1 }, { operatorName: '$not', details: { operatorName: '$ne', specifiedAs: { a: { $ne: 2 } }, reason: 'comparison failed', consideredValue: 1 } }],
    [{ $nor: [{ $expr: { $eq: ['$a', 1] } }] }, { a: 1 }, { operatorName: '$nor', clausesSatisfied: [{ index: 0, details: { operatorName: '$expr', specifiedAs: { $expr: { $eq: ['$a', 1] } }, reason: 'expression did match', expressionResult: true } }] }],
    [{ $sampleRate: 0 }, {}, { operatorName: '$sampleRate', specifiedAs: { $sampleRate: 0 }, reason: 'expression did not match', expressionResult: false }],
    [{ $nor: [{ $jsonSchema: { required: ['a'] } }] }, { a: 1 }, { operatorName: '$nor', clausesSatisfied: [{ index: 0, details: { operatorName: '$jsonSchema', reason: 'schema matched' } }] }],
    [{ $expr: { $concat: ['$a', 'x'] } }, { a: 1 }, { operatorName: '$expr', specifiedAs: { $expr: { $concat: ['$a', 'x'] } }, reason: 'failed to evaluate aggregation expression', details: { code: 16702, codeName: 'Location16702', errmsg: '$concat only supports strings, not int' } }],
    [{ $expr: { $gt: ['$a', 5] } }, { a: 1 }, { operatorName: '$expr', specifiedAs: { $expr: { $gt: ['$a', 5] } }, reason: 'expression did not match', expressionResult: false }],
    [{ $jsonSchema: { title: 'T', required: ['a'] } }, {}, { operatorName: '$jsonSchema', title: 'T', schemaRulesNotSatisfied: [{ operatorName: 'required', specifiedAs: { required: ['a'] }, missingProperties: ['a'] }] }],
  ] as [object, object, object][])('%j on %j', ([filter, document, report]) => {
    expect(explain(filter, document)).toEqual(report);
  }); // biome-ignore format: a table

  test('of several conditions those that fail are named by their place', () => {
    expect(explain({ a: { $gt: 1, $lt: 3 }, b: 1 }, { a: 5, b: 1 })).toEqual({
      operatorName: '$and',
      clausesNotSatisfied: [
        { index: 1, details: { operatorName: '$lt', specifiedAs: { a: { $lt: 3 } }, reason: 'comparison failed', consideredValue: 5 } },
      ],
    }); // biome-ignore format: one line
    expect(explain({ $or: [{ a: 1 }, { b: 1 }] }, { a: 2, b: 2 })).toMatchObject({
      operatorName: '$or',
      clausesNotSatisfied: [{ index: 0 }, { index: 1, details: { consideredValue: 2 } }],
    });
    const held = { specifiedAs: { b: 2 }, reason: 'comparison succeeded', consideredValue: 2 };
    expect(explain({ $nor: [{ a: 1 }, { b: 2 }] }, { a: 2, b: 2 })).toEqual({
      operatorName: '$nor',
      clausesSatisfied: [{ index: 1, details: { operatorName: '$eq', ...held } }],
    });
  });
});

test('below a negation those that hold are named by their place', () => {
  const held = (operatorName: string, clausesSatisfied: number[]) => ({
    operatorName,
    clausesSatisfied: clausesSatisfied.map((index) => expect.objectContaining({ index })),
  });
  expect(explain({ a: { $not: { $gt: 1, $lt: 5 } } }, { a: 3 }).details).toEqual(held('$and', [0, 1]));
  const below = (filter: object, document: object) => explain({ $nor: [filter] }, document).clausesSatisfied[0].details;
  expect(below({ a: 1, b: 1 }, { a: 1, b: 1 })).toEqual(held('$and', [0, 1]));
  expect(below({ $or: [{ a: 1 }, { a: 2 }] }, { a: 2 })).toEqual(held('$or', [1]));
  expect(below({ $nor: [{ a: 1 }, { a: 2 }] }, { a: 3 })).toMatchObject({
    operatorName: '$nor',
    clausesNotSatisfied: [{ index: 0, details: { reason: 'comparison failed' } }, { index: 1 }],
  });
});

test('a clause that cannot be computed is named whether it had to hold or not', () => {
  const broken = [{ $expr: { $concat: ['$a', 'x'] } }, { $expr: { $divide: ['$a', 0] } }];
  for (const [operator, field] of [
    ['$and', 'clausesNotSatisfied'],
    ['$nor', 'clausesSatisfied'],
  ] as const) {
    expect(explain({ [operator]: [{ b: 1 }, ...broken] }, { a: 1, b: operator === '$and' ? 1 : 2 })).toMatchObject({
      operatorName: operator,
      [field]: [
        { index: 1, details: { details: { code: 16702 } } },
        { index: 2, details: { details: { code: 2 } } },
      ],
    });
  }
});

test('a field may have as many conditions as a filter has room for', () => {
  const writer = new BsonWriter();
  writer.beginDocument('a');
  for (let n = 0; n < 150_000; n++) writer.int32('$gt', 0);
  writer.int32('$gt', 9);
  writer.endDocument();
  expect(() => explainFailure(writer.finish(), encodeDocument({ a: 1 }))).not.toThrow();
});
