import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { Decimal128, Long, ObjectId } from 'bson';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileFilter } from '../../src/index.ts';
import { compileSchema } from '../../src/schema/schema.ts';
import { doc, val } from '../bson.ts';

const matches = (schema: object, document: object) => compileFilter(doc({ $jsonSchema: schema }))(doc(document));
/** The same of one field. */
const ofField = (schema: object, value: unknown) => matches({ properties: { v: schema } }, { v: value });

describe('keywords: which values do, and which do not', () => {
  test.for([
    ['bsonType', { bsonType: 'int' }, [1], [1.5, '1', null]],
    ['bsonType, several', { bsonType: ['int', 'string'] }, [1, 'x'], [1.5]],
    ['bsonType number', { bsonType: 'number' }, [1, 1.5, Long.ONE, Decimal128.fromString('1')], ['1']],
    ['bsonType objectId', { bsonType: 'objectId' }, [new ObjectId('0'.repeat(24))], ['0'.repeat(24)]],
    ['type', { type: 'number' }, [1, 1.5, Long.ONE], ['1']],
    ['type, several', { type: ['boolean', 'null'] }, [true, null], [0]],
    ['minimum', { minimum: 3 }, [3, 4.5, 'x'], [2, -1]],
    ['maximum', { maximum: 3 }, [3, 2], [3.1, Number.NaN]],
    ['exclusiveMinimum', { minimum: 3, exclusiveMinimum: true }, [3.1], [3]],
    ['exclusiveMaximum', { maximum: 3, exclusiveMaximum: true }, [2], [3]],
    ['exclusiveMinimum: false', { minimum: 3, exclusiveMinimum: false }, [3], [2]],
    ['multipleOf', { multipleOf: 0.1 }, [0.5, 3], [0.55]],
    ['multipleOf a decimal', { multipleOf: Decimal128.fromString('0.1') }, [Decimal128.fromString('0.3')], [Decimal128.fromString('0.35')]],
    ['minLength, in characters', { minLength: 2 }, ['ab', 'é😀', 5], ['a', '😀']],
    ['maxLength', { maxLength: 2 }, ['ab'], ['abc']],
    ['pattern', { pattern: '^a' }, ['ab', 1], ['ba']],
    ['enum', { enum: [1, 'x', null, { a: 1 }] }, [1, 'x', null, { a: 1 }], [2, { a: 2 }]],
    ['items', { items: { bsonType: 'int' } }, [[1, 2], [], 'x'], [[1, 'x']]],
    ['items by place', { items: [{ bsonType: 'int' }, { bsonType: 'string' }] }, [[1, 'x', 5], [1]], [['x']]],
    ['additionalItems: false', { items: [{ bsonType: 'int' }], additionalItems: false }, [[1]], [[1, 2]]],
    ['additionalItems', { items: [{}], additionalItems: { bsonType: 'int' } }, [['x', 2]], [['x', 'y']]],
    ['minItems', { minItems: 1 }, [[1], 'x'], [[]]],
    ['maxItems', { maxItems: 1 }, [[1]], [[1, 2]]],
    ['uniqueItems', { uniqueItems: true }, [[1, 2], ['1', 1]], [[1, 1.0], [[1], [1]]]],
    ['required', { required: ['a'] }, [{ a: null }, 5], [{}, { b: 1 }]],
    ['properties, nested', { properties: { a: { properties: { b: { bsonType: 'int' } } } } }, [{}, { a: { b: 1 } }, { a: 5 }], [{ a: { b: 'x' } }]],
    ['additionalProperties: false', { properties: { a: {} }, patternProperties: { '^x': {} }, additionalProperties: false }, [{ a: 1, x1: 2 }], [{ b: 1 }]],
    ['additionalProperties', { additionalProperties: { bsonType: 'int' } }, [{ a: 1 }], [{ a: 'x' }]],
    ['patternProperties', { patternProperties: { '^n': { bsonType: 'int' } } }, [{ n1: 1, x: 'x' }], [{ n1: 'x' }]],
    ['minProperties', { minProperties: 1 }, [{ a: 1 }], [{}]],
    ['maxProperties', { maxProperties: 1 }, [{ a: 1 }], [{ a: 1, b: 2 }]],
    ['dependencies on fields', { dependencies: { a: ['b'] } }, [{}, { a: 1, b: 1 }], [{ a: 1 }]],
    ['dependencies on a schema', { dependencies: { a: { required: ['b'] } } }, [{ b: 1 }, { a: 1, b: 1 }], [{ a: 1 }]],
    ['allOf', { allOf: [{ minimum: 1 }, { maximum: 3 }] }, [2], [0, 4]],
    ['anyOf', { anyOf: [{ bsonType: 'int' }, { minimum: 3 }] }, [1, 3.5], [1.5]],
    ['oneOf', { oneOf: [{ minimum: 1 }, { maximum: 3 }] }, [0, 4], [2]],
    ['not', { not: { bsonType: 'int' } }, ['x'], [1]],
    ['words for people', { title: 't', description: 'd' }, [1], []],
    ['nothing', {}, [1, 'x'], []],
  ] as [string, object, unknown[], unknown[]][])('%s', ([, schema, good, bad]) => {
    expect(good.map((value) => ofField(schema, value))).toEqual(good.map(() => true));
    expect(bad.map((value) => ofField(schema, value))).toEqual(bad.map(() => false));
  }); // biome-ignore format: a table
});

test('it goes with other conditions, and into branches', () => {
  const filter = compileFilter(doc({ a: 1, $or: [{ $jsonSchema: { required: ['b'] } }, { c: 1 }] }));
  expect([{ a: 1, b: 1 }, { a: 1, c: 1 }, { a: 1 }, { a: 2, b: 1 }].map((document) => filter(doc(document)))).toEqual([true, true, false, false]); // biome-ignore format: one line
});

test('`not` is the contrary of any schema', () => {
  const schema = fc.oneof(
    fc.record({ minimum: fc.nat(5) }),
    fc.record({ bsonType: fc.constantFrom('int', 'string', 'number') }),
    fc.record({ enum: fc.uniqueArray(fc.nat(5), { minLength: 1 }) }),
    fc.record({ maxLength: fc.nat(3) }),
  );
  const value = fc.oneof(fc.nat(6), fc.string({ maxLength: 5 }), fc.constant(null));
  fc.assert(
    fc.property(schema, value, (one, v) => ofField(one, v) !== ofField({ not: one }, v)),
    { seed: 3, numRuns: 300 },
  );
});

test.for([
  [{ nope: 1 }, 9, 'keyword: nope'],
  [{ $ref: 'x' }, 9, "cannot have '$ref'"],
  [{ format: 'date' }, 9, "cannot have 'format'"],
  [{ type: 'integer' }, 9, "no type 'integer'"],
  [{ type: 'int', bsonType: 'int' }, 9, 'type or bsonType, not both'],
  [{ bsonType: 'nope' }, 2, 'Unknown type name alias: nope'],
  [{ bsonType: 1 }, 14, "'bsonType' must be"],
  [{ bsonType: [] }, 9, 'needs one element'],
  [{ required: [] }, 9, 'needs one element'],
  [{ required: ['a', 'a'] }, 9, 'twice'],
  [{ required: 'a' }, 14, 'array of strings'],
  [{ minimum: 'x' }, 14, 'a number'],
  [{ exclusiveMinimum: true }, 9, "needs 'minimum' beside it"],
  [{ minimum: 1, exclusiveMinimum: 1 }, 14, 'a boolean'],
  [{ multipleOf: 0 }, 9, 'above 0'],
  [{ minLength: -1 }, 9, '0 or more'],
  [{ minLength: 1.5 }, 9, 'whole number'],
  [{ maxItems: 'x' }, 9, 'whole number'],
  [{ pattern: '(' }, 51091, 'invalid'],
  [{ enum: [] }, 9, 'needs one element'],
  [{ enum: [1, 'x', 1] }, 9, 'the same element twice'],
  [{ enum: [{ a: 1 }, { a: Long.ONE }] }, 9, 'the same element twice'],
  [{ properties: 1 }, 14, 'an object'],
  [{ properties: { a: 1 } }, 14, 'an object'],
  [{ items: 1 }, 14, 'an object'],
  [{ allOf: [] }, 2, 'needs one schema'],
  [{ allOf: {} }, 14, 'an array'],
  [{ uniqueItems: 1 }, 14, 'a boolean'],
  [{ title: 1 }, 14, 'a string'],
] as const)('%j is refused', ([schema, code, message]) => {
  expect(() => compileFilter(doc({ $jsonSchema: schema }))).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  );
});

describe('reports', () => {
  const reports = (schema: object, document: object) => {
    const details = compileSchema(val(schema)).check(val(document));
    return decodePromoted(encodeDocument({ details })).details;
  };

  test.for([
    [{ required: ['a', 'b'] }, { b: 1 }, { operatorName: 'required', specifiedAs: { required: ['a', 'b'] }, missingProperties: ['a'] }],
    [
      { properties: { a: { bsonType: 'int', description: 'a number' } } },
      { a: 'x' },
      {
        operatorName: 'properties',
        propertiesNotSatisfied: [
          {
            propertyName: 'a',
            description: 'a number',
            details: [{ operatorName: 'bsonType', specifiedAs: { bsonType: 'int' }, reason: 'type did not match', consideredValue: 'x', consideredType: 'string' }],
          },
        ],
      },
    ],
    [{ properties: { a: {} }, additionalProperties: false }, { b: 1 }, { operatorName: 'additionalProperties', specifiedAs: { additionalProperties: false }, additionalProperties: ['b'] }],
    [{ minProperties: 2 }, { b: 1 }, { operatorName: 'minProperties', specifiedAs: { minProperties: 2 }, reason: 'specified number of properties was not satisfied', numberOfProperties: 1 }],
    [{ not: {} }, {}, { operatorName: 'not', reason: 'child expression matched' }],
    [{ oneOf: [{}, {}] }, {}, { operatorName: 'oneOf', reason: 'more than one subschema matched', matchingSchemaIndexes: [0, 1] }],
    [{ dependencies: { a: ['b'] } }, { a: 1 }, { operatorName: 'dependencies', failingDependencies: [{ conditionalProperty: 'a', missingProperties: ['b'] }] }],
  ] as [object, object, object][])('%j on %j', ([schema, document, report]) => {
    expect(reports(schema, document)).toEqual([report]);
  }); // biome-ignore format: a table

  test('a field that is too small says so of its limit', () => {
    const [{ propertiesNotSatisfied }] = reports(
      { properties: { a: { minimum: 5, exclusiveMinimum: true } } },
      { a: 5 },
    );
    expect(propertiesNotSatisfied[0].details).toEqual([
      {
        operatorName: 'minimum',
        specifiedAs: { minimum: 5, exclusiveMinimum: true },
        reason: 'comparison failed',
        consideredValue: 5,
      },
    ]);
  });
});
