import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson';
import fc from 'fast-check';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary', maxLength: 200 }), fc.string());
const name = text.map((value) => value.replaceAll('\0', ''));
const objectId = bytes(12).map((id) => new ObjectId(id));

/** Leaves of every BSON type, as JS values that bson's `serialize` takes. */
export const anyLeaf: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 2 ** 31, -(2 ** 31), 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  text,
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.date({ noInvalidDate: false }),
  fc.uint8Array({ maxLength: 40 }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
  fc.integer().map((value) => new Int32(value)),
  fc.double().map((value) => new Double(value)),
  bytes(16).map((value) => new Decimal128(value)),
  fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff)).map(([t, i]) => new Timestamp({ t, i })),
  objectId,
  fc
    .tuple(fc.uint8Array({ maxLength: 30 }), fc.constantFrom(0, 1, 2, 3, 4, 5, 128))
    .map(([data, subtype]) => new Binary(data, subtype)),
  fc.tuple(name, fc.constantFrom('', 'i', 'im', 'x')).map(([pattern, options]) => new BSONRegExp(pattern, options)),
  fc.constantFrom(/a/, /a.b/i, /x/g, /é/m),
  text.map((value) => new Code(value)),
  fc.tuple(text, fc.dictionary(name, fc.integer())).map(([code, scope]) => new Code(code, scope)),
  fc.tuple(name, objectId).map(([collection, id]) => new DBRef(collection, id, 'db')),
  text.map((value) => new BSONSymbol(value)),
  fc.constant(new MinKey()),
  fc.constant(new MaxKey()),
);

/** Arbitrary documents, as objects or Maps. */
export const anyDocument = fc.letrec<{ value: unknown; document: object }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, anyLeaf, tie('document'), fc.array(tie('value'), { maxLength: 5 })),
  document: fc.oneof(
    fc.dictionary(name, tie('value'), { maxKeys: 6 }),
    fc.array(fc.tuple(name, tie('value')), { maxLength: 5 }).map((entries) => new Map(entries)),
  ),
})).document;
