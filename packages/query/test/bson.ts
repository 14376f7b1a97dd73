import {
  type BsonValue,
  decodeDocument,
  ElementCursor,
  encodeDocument,
  encodeName,
  findField,
} from '@replsim/protocol';
import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  EJSON,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'bson';
import fc from 'fast-check';

/** A document as bytes. */
export const doc = (value: object): Uint8Array => encodeDocument(value);
/** Field order kept whatever the names. */
export const ordered = (...entries: [string, unknown][]) => new Map(entries);
/** One value as it lies in a document. */
export const val = (value: unknown): BsonValue => findField(doc({ v: value }), encodeName('v'))!;
/** A value as canonical Extended JSON, for readable comparisons. */
export const show = (value: BsonValue): string => EJSON.stringify(jsOf(value), { relaxed: false });

function jsOf(value: BsonValue): unknown {
  const head = new Uint8Array(4 + 3 + value.size + 1);
  head[4] = value.type;
  head[5] = 0x76;
  head.set(value.bytes.subarray(value.offset, value.offset + value.size), 7);
  new DataView(head.buffer).setInt32(0, head.length, true);
  return decodeDocument(head).v;
}

/** A document as canonical Extended JSON, field order and types visible. */
export function text(bytes: Uint8Array): string {
  const parts: string[] = [];
  const cursor = new ElementCursor(bytes);
  while (cursor.next()) parts.push(`${JSON.stringify(cursor.name)}:${show(cursor.value())}`);
  return `{${parts.join(',')}}`;
}

/** Values on which the types meet: equal numbers of all four kinds, limits, and the like. */
export const nastyNumbers: readonly unknown[] = [
  new Int32(0),
  new Double(0),
  new Double(-0),
  Long.fromNumber(0),
  new Decimal128('0'),
  new Decimal128('-0'),
  new Decimal128('0E+10'),
  new Int32(5),
  new Double(5),
  Long.fromNumber(5),
  new Decimal128('5'),
  new Decimal128('5.0'),
  new Decimal128('0.1'),
  new Double(0.1),
  new Int32(-(2 ** 31)),
  new Int32(2 ** 31 - 1),
  new Double(2 ** 53),
  Long.fromBigInt(2n ** 53n),
  Long.fromBigInt(2n ** 53n + 1n),
  Long.fromBigInt(-(2n ** 53n) - 1n),
  new Decimal128('9007199254740993'),
  Long.MAX_VALUE,
  Long.MIN_VALUE,
  new Double(2 ** 63),
  new Double(-(2 ** 63)),
  new Double(Number.MAX_VALUE),
  new Double(Number.MIN_VALUE),
  new Double(Number.POSITIVE_INFINITY),
  new Double(Number.NEGATIVE_INFINITY),
  new Double(Number.NaN),
  new Decimal128('NaN'),
  new Decimal128('Infinity'),
  new Decimal128('-Infinity'),
  new Decimal128('9.999999999999999999999999999999999E+6144'),
  new Decimal128('1E-6176'),
  new Decimal128('-1E-6176'),
];

const small = fc.constantFrom('', 'a', 'b', 'ab', 'é', '\u{1F600}', '\uFF5E', 'a\0b', '0', '10', '2');
/** Field names that collide often, integer-like ones among them. */
export const anyName = fc.constantFrom('a', 'b', 'c', '', '0', '1', '10', 'é', '$x', 'a.b');

const anyLeaf: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: fc.constantFrom(...nastyNumbers), weight: 4 },
  fc.integer({ min: -3, max: 3 }),
  fc.double(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => new Decimal128(bytes)),
  small,
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.constantFrom(null, new MinKey(), new MaxKey()),
  fc.constantFrom(new Date(0), new Date(-1), new Date(1), new Date(8.64e15)),
  fc.constantFrom(
    new Timestamp({ t: 2, i: 0 }),
    new Timestamp({ t: 10, i: 0 }),
    new Timestamp({ t: 0xffffffff, i: 1 }),
  ),
  fc.constantFrom('00', '01', 'ff').map((byte) => new ObjectId(byte.repeat(12))),
  fc
    .tuple(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(0, 2, 5))
    .map(([data, subtype]) => new Binary(data, subtype)),
  fc.constantFrom(new UUID('00000000-0000-4000-8000-000000000000'), new Binary(new Uint8Array(16), 4)),
  fc.tuple(fc.constantFrom('a', 'b', ''), fc.constantFrom('', 'i')).map(([p, o]) => new BSONRegExp(p, o)),
  fc.constantFrom(new Code('a'), new Code('a', {}), new Code('a', { x: 1 }), new Code('b', { x: 1 })),
);

const tree = fc.letrec<{ value: unknown; document: Map<string, unknown> }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, anyLeaf, tie('document'), fc.array(tie('value'), { maxLength: 4 })),
  document: fc
    .uniqueArray(fc.tuple(anyName, tie('value')), { maxLength: 5, selector: ([name]) => name })
    .map((entries) => new Map(entries)),
}));
/** A JS value that encodes to any BSON value, nasty ones often. */
export const anyValue = tree.value;
/** A Map that encodes to any document. */
export const anyDocument = tree.document;
