import {
  Binary,
  BSON,
  BSONRegExp,
  Code,
  DBRef,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import { expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

const served = useServedSet({ members: 1 });
const newClient = useClients();
const values = (options = {}) => newClient(served().uri, options).db('types').collection<Document>('values');

let ids = 0;

const DECIMAL_NAN = Decimal128.fromString('NaN');
const EVERY_TYPE: [string, unknown][] = [
  ['a double', new Double(1.5)],
  ['a double that is whole', new Double(3)],
  ['minus zero', new Double(-0)],
  ['NaN', new Double(Number.NaN)],
  ['infinity', new Double(Number.NEGATIVE_INFINITY)],
  ['a string', 'naïve ☃ 𝒳'],
  ['an empty string', ''],
  ['a document', { a: { b: {} } }],
  ['an array', [new Int32(1), [new Int32(2), []]]],
  ['bytes', new Binary(Buffer.from([0, 255, 1]), 0)],
  ['bytes of the old kind', new Binary(Buffer.from([2, 3]), 2)],
  ['bytes of a user', new Binary(Buffer.from([1]), 0x80)],
  ['a UUID', new UUID('00112233-4455-6677-8899-aabbccddeeff')],
  ['an ObjectId', new ObjectId('0123456789abcdef01234567')],
  ['false', false],
  ['a date', new Date(-1)],
  ['the last date', new Date(8.64e15)],
  ['null', null],
  ['a regular expression', new BSONRegExp('^a.*b$', 'im')],
  ['a reference', new DBRef('other', new ObjectId('0123456789abcdef01234567'), 'db')],
  ['code', new Code('function() {}')],
  ['code with a scope', new Code('f(x)', { x: new Int32(1) })],
  ['an int', new Int32(-7)],
  ['a timestamp', new Timestamp({ t: 4_294_967_295, i: 1 })],
  ['an empty timestamp below the top', { at: new Timestamp({ t: 0, i: 0 }) }],
  ['a long', Long.MAX_VALUE],
  ['a small long', Long.fromNumber(1)],
  ['a decimal', Decimal128.fromString('-1.2300E+6')],
  ['a decimal that is not a number', DECIMAL_NAN],
  ['the least key', new MinKey()],
  ['the greatest key', new MaxKey()],
];

test.for(EVERY_TYPE)('%s comes back byte for byte', async ([, value]) => {
  const document = { _id: new Int32(++ids), value };
  const collection = values({ promoteValues: false });
  await collection.insertOne(document as Document);
  const raw = await collection.findOne({ _id: document._id } as Document, { raw: true });
  expect(Buffer.from(raw as unknown as Uint8Array).toString('hex')).toBe(
    Buffer.from(BSON.serialize(document)).toString('hex'),
  );
  const found = await collection.findOne({ _id: document._id } as Document);
  expect(BSON.serialize(found!)).toEqual(BSON.serialize(document));
});

test('all of them may be an _id, but for an array and a regular expression', async () => {
  const collection = newClient(served().uri).db('types').collection<Document>('ids');
  for (const [name, _id] of EVERY_TYPE) {
    // The driver would make a DBRef of the whole document; one NaN is as good as another.
    if (_id instanceof DBRef || _id === DECIMAL_NAN) continue;
    const insert = collection.insertOne({ _id, name } as Document);
    if (Array.isArray(_id) || _id instanceof BSONRegExp) await expect(insert, name).rejects.toThrow();
    else await expect(insert, name).resolves.toBeDefined();
  }
});

test('an empty timestamp at the top is filled in by the member', async () => {
  const collection = values();
  const { insertedId } = await collection.insertOne({ at: new Timestamp({ t: 0, i: 0 }) });
  const { at } = (await collection.findOne({ _id: insertedId }))!;
  expect(at.t).toBeGreaterThan(0);
  expect(at.i).toBeGreaterThan(0);
});

test('undefined becomes null, or is left out', async () => {
  const kept = await values().insertOne({ a: undefined, b: 1 });
  expect(await values().findOne({ _id: kept.insertedId })).toEqual({ _id: kept.insertedId, a: null, b: 1 });
  const left = await values({ ignoreUndefined: true }).insertOne({ a: undefined, b: 1 });
  expect(await values().findOne({ _id: left.insertedId })).toEqual({ _id: left.insertedId, b: 1 });
});

test('a hundred levels deep', async () => {
  let deep: Document = { bottom: true };
  for (let i = 0; i < 97; i++) deep = { deep };
  const { insertedId } = await values().insertOne({ deep });
  expect((await values().findOne({ _id: insertedId }))?.deep).toEqual(deep);
});

test('numbers keep their type through updates', async () => {
  const collection = values({ promoteValues: false });
  const _id = new Int32(++ids) as unknown as ObjectId;
  await collection.insertOne({
    _id,
    int: new Int32(1),
    long: Long.fromNumber(1),
    double: new Double(1),
    decimal: Decimal128.fromString('1'),
  });
  await collection.updateOne(
    { _id },
    { $inc: { int: new Int32(1), long: new Int32(1), double: new Int32(1), decimal: new Int32(1) } },
  );
  const { _id: _, ...found } = (await collection.findOne({ _id }))!;
  expect(BSON.EJSON.stringify(found, { relaxed: false })).toBe(
    '{"int":{"$numberInt":"2"},"long":{"$numberLong":"2"},"double":{"$numberDouble":"2.0"},"decimal":{"$numberDecimal":"2"}}',
  );
});

test('a document that is too large is refused, one that just fits is not', async () => {
  const collection = values();
  const bytes = (size: number) => ({ _id: new ObjectId(), bytes: new Binary(Buffer.alloc(size)) });
  await collection.insertOne(bytes(16_777_216 - 100));
  await expect(collection.insertOne(bytes(16_777_216))).rejects.toThrow();
});

test('bigint and Map are what the driver makes of them', async () => {
  const { insertedId } = await values().insertOne({ big: 5n, map: new Map([['a', 1]]) });
  const found = await values({ useBigInt64: true }).findOne({ _id: insertedId });
  expect(found).toEqual({ _id: insertedId, big: 5n, map: { a: 1 } });
});
