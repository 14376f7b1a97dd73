import { BsonType, type BsonValue, BsonWriter, encodeDocument } from '@replsim/protocol';
import { Double, Int32, Long } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterIdentity } from '../../src/keys/filterIdentity.ts';

const documentValue = (filter: object): BsonValue => {
  const bytes = encodeDocument(filter);
  return { type: BsonType.object, bytes, offset: 0, size: bytes.length };
};
const identity = (filter: object) => filterIdentity(documentValue(filter));

test.for<[a: object, b: object]>([
  [{ a: 1 }, { a: { $eq: 1 } }],
  [{ a: new Int32(1) }, { a: new Double(1) }],
  [{ a: { $gt: new Int32(5) } }, { a: { $gt: Long.fromNumber(5) } }],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [{ a: 1, b: 2 }, { $and: [{ a: 1 }, { b: 2 }] }],
  [{ a: 1 }, { $and: [{ $and: [{ a: 1 }] }] }],
  [{ a: { $gt: 1, $lt: 9 } }, { $and: [{ a: { $lt: 9 } }, { a: { $gt: 1 } }] }],
  [{ a: 1 }, { a: { $in: [1] } }],
  [{ a: { $in: [1, 2] } }, { a: { $in: [2, 1, 2] } }],
  [{ a: 1 }, { $or: [{ a: 1 }] }],
  [{ $or: [{ a: 1 }, { b: 2 }] }, { $or: [{ b: 2 }, { a: 1 }, { a: 1 }] }],
  [{ $or: [{ a: 1 }, { b: 2 }, { c: 3 }] }, { $or: [{ a: 1 }, { $or: [{ b: 2 }, { c: 3 }] }] }],
  [{ a: { $exists: true } }, { a: { $exists: 1 } }],
  [{ a: { $type: 'date' } }, { a: { $type: 9 } }],
  [{ a: { $type: 'number' } }, { a: { $type: ['decimal', 'long', 'int', 'double'] } }],
])('%j means the same as %j', ([a, b]) => {
  expect(identity(a)).toBe(identity(b));
});

test.for<[a: object, b: object]>([
  [{ a: 1 }, { a: 2 }],
  [{ a: 1 }, { b: 1 }],
  [{ a: 1 }, {}],
  [{ a: { $gt: 1 } }, { a: { $gte: 1 } }],
  [{ a: 1, b: 2 }, { $or: [{ a: 1 }, { b: 2 }] }],
  [{ a: 1 }, { a: '1' }],
  [{ a: { $gt: 1 } }, { a: { b: 1 } }],
  [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }],
  [{ a: { $type: 'date' } }, { a: { $type: 'timestamp' } }],
  [{ $or: [{ a: 1 }, { b: 2 }], c: 3 }, { $or: [{ a: 1 }, { b: 2 }, { c: 3 }] }],
])('%j does not mean the same as %j', ([a, b]) => {
  expect(identity(a)).not.toBe(identity(b));
});

const anyCondition = fc.oneof(
  fc.integer({ min: 0, max: 2 }),
  fc.record({ $gt: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ $in: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 3 }) }),
  fc.constant({ $exists: true }),
);
const anyClause = fc.dictionary(fc.constantFrom('a', 'b'), anyCondition, { minKeys: 1, noNullPrototype: true });
const anyFilter = fc.oneof(
  anyClause,
  fc.record({ $or: fc.array(anyClause, { minLength: 1, maxLength: 3 }) }),
  fc.record({ $and: fc.array(anyClause, { minLength: 1, maxLength: 3 }) }),
);

test('turning clauses round and saying them twice changes nothing', () => {
  fc.assert(
    fc.property(fc.array(anyFilter, { minLength: 1, maxLength: 4 }), (filters) => {
      const turned = identity({ $and: [...filters].reverse() });
      expect(turned).toBe(identity({ $and: filters }));
      expect(turned).toBe(identity({ $and: [...filters, ...filters] }));
      expect(identity({ $or: [...filters].reverse() })).toBe(identity({ $or: [...filters, filters[0]!] }));
    }),
  );
});

test('a field may have as many conditions as a filter has room for', () => {
  const writer = new BsonWriter();
  writer.beginDocument('a');
  for (let n = 0; n < 200_000; n++) writer.int32('$gt', 1);
  writer.endDocument();
  const bytes = writer.finish();
  expect(filterIdentity({ type: BsonType.object, bytes, offset: 0, size: bytes.length })).toBe(
    identity({ a: { $gt: 1 } }),
  );
});
