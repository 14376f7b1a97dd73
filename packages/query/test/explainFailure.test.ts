import { BsonWriter, decodePromoted, encodeDocument } from '@replsim/protocol';
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
    expect(explain({ $nor: [{ a: 1 }, { b: 2 }] }, { a: 2, b: 2 })).toMatchObject({
      operatorName: '$nor',
      clausesSatisfied: [{ index: 1 }],
    });
  });
});

test('a field may have as many conditions as a filter has room for', () => {
  const writer = new BsonWriter();
  writer.beginDocument('a');
  for (let n = 0; n < 150_000; n++) writer.int32('$gt', 0);
  writer.int32('$gt', 9);
  writer.endDocument();
  expect(() => explainFailure(writer.finish(), encodeDocument({ a: 1 }))).not.toThrow();
});
