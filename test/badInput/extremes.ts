import { encodeDocument } from '@replsim/protocol';
import {
  Binary,
  BSONRegExp,
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
import { expressionRules } from '../../packages/query/src/expressions/rules.ts';

// Arguments at which code is wont to stumble, for those who throw them at operators.

/** What V8 says of mistakes in a program. */
export const V8 =
  /is not a function|is not iterable|The value of "|outside the bounds|Cannot (read|set|convert|mix)|Maximum call stack|Invalid (array|string|time)|properties of|\[object/i;

/** An object whose names may be any, and keep their order. */
export type Fields = ReadonlyMap<string, unknown>;

function nested(depth: number, around: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = around(value);
  return value;
}

const id = new ObjectId('0'.repeat(24));
const LEAVES: readonly unknown[] = [
  null,
  true,
  false,
  ...[0, 1, -1, 2, 3, 31, 32, 64, 100, 101, 65_536].map((n) => new Int32(n)),
  ...[2 ** 31 - 1, -(2 ** 31)].map((n) => new Int32(n)),
  ...[-0, 0.5, -1.5, 1e300, -1e300, 5e-324, 2 ** 53, 2 ** 63, 1e20, Number.NaN, Infinity, -Infinity].map(
    (n) => new Double(n),
  ),
  ...[Long.MAX_VALUE, Long.MIN_VALUE, Long.ZERO, Long.NEG_ONE, Long.fromString('9007199254740993')],
  ...['NaN', 'Infinity', '-Infinity', '-0', '1E6000', '1E-6176', '0.5', '9.999999999999999999999999999999999E6144'].map(
    (text) => Decimal128.fromString(text),
  ),
  ...[
    '',
    'a',
    '$a',
    '$$a',
    '$$ROOT',
    '$$REMOVE',
    '$',
    '$$',
    '$.',
    'a.b',
    'a.',
    '.a',
    '$a.b.0',
    '__proto__',
    '$__proto__',
    '$$__proto__',
  ],
  ...[
    'constructor',
    '$constructor.name',
    'toString',
    '%Y-%m-%d',
    '%',
    '%Q',
    '2020-01-01',
    'Europe/Berlin',
    '+99:99',
    'Nowhere/Land',
  ],
  ...[
    '(',
    'a(?',
    '[',
    '(a*)*b',
    '\\',
    '\u{1F600}',
    '\uD800',
    'é',
    'i',
    'xyz',
    'day',
    'week',
    'quarter',
    'approximate',
    'unbounded',
    'current',
  ],
  'x'.repeat(70_000),
  new Date(0),
  new Date(-1),
  new Date(8.64e15),
  new Date(-8.64e15),
  id,
  new Timestamp({ t: 0, i: 0 }),
  new Timestamp({ t: 4294967295, i: 4294967295 }),
  new MinKey(),
  new MaxKey(),
  new Binary(new Uint8Array(0), 0),
  new Binary(new Uint8Array(16), 4),
  new Binary(new Uint8Array(3), 9),
  new BSONRegExp('a', 'i'),
  new BSONRegExp('(', 'x'),
  new Code('x'),
  new Code('x', { a: 1 }),
  new DBRef('c', id),
  [],
  {},
  nested(90, (inner) => [inner]),
  nested(90, (inner) => ({ a: inner })),
  Array.from({ length: 300 }, (_, i) => new Int32(i)),
  { type: 'Point', coordinates: [new Int32(0), new Int32(0)] },
  { type: 'Polygon', coordinates: [[]] },
];

/** Names of fields that mean something somewhere. */
const NAMES: readonly string[] = [
  ...[
    'a',
    'b',
    'a.b',
    'a.0',
    'a.$',
    'a.$[]',
    'a.$[e]',
    '_id',
    '',
    '.',
    '$',
    '$x',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
  ],
  ...[
    '$each',
    '$position',
    '$slice',
    '$sort',
    '$type',
    '$meta',
    '$eq',
    '$in',
    '$not',
    '$elemMatch',
    '$regex',
    '$options',
    '$add',
    '$literal',
    '$map',
  ],
  ...[
    '$geometry',
    '$maxDistance',
    '$minDistance',
    '$box',
    '$center',
    '$centerSphere',
    '$polygon',
    '$search',
    '$language',
    '$caseSensitive',
  ],
  ...[
    'sortBy',
    'output',
    'window',
    'documents',
    'range',
    'unit',
    'partitionBy',
    'by',
    'N',
    'alpha',
    'from',
    'localField',
    'foreignField',
    'as',
  ],
  ...[
    'let',
    'pipeline',
    'coll',
    'path',
    'includeArrayIndex',
    'preserveNullAndEmptyArrays',
    'groupBy',
    'boundaries',
    'buckets',
    'granularity',
  ],
  ...[
    'field',
    'step',
    'bounds',
    'method',
    'value',
    'startWith',
    'connectFromField',
    'connectToField',
    'maxDepth',
    'depthField',
    'newRoot',
    'size',
  ],
  ...[
    'vars',
    'in',
    'branches',
    'case',
    'default',
    'input',
    'cond',
    'initialValue',
    'minimum',
    'properties',
    'required',
    'bsonType',
    'pattern',
  ],
];

const leaf = fc.constantFrom(...LEAVES);

/** Any value. */
export const extreme: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie('any'), { maxLength: 4 }) },
    { weight: 1, arbitrary: fields(fc.constantFrom(...NAMES), tie('any')) },
  ),
})).any;

function fields(name: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>): fc.Arbitrary<Fields> {
  return fc.array(fc.tuple(name, value), { maxLength: 4 }).map((entries) => new Map(entries));
}

/** An object with any of the names that there are. */
export const extremeObject: fc.Arbitrary<Fields> = fields(fc.constantFrom(...NAMES), extreme);

/** A value, or the very value where an expression would be read. */
const operand = fc.oneof(
  extreme,
  extreme.map((value) => ({ $literal: value })),
  extreme.map((value) => ({ $literal: value })),
);

/** An operator of an expression: mostly with as many arguments as it takes, or with the names that it knows. */
export function expressionCall(name: string): fc.Arbitrary<Fields> {
  const rule = expressionRules[name];
  const shapes: fc.Arbitrary<unknown>[] = [operand, fc.array(operand, { maxLength: 4 })];
  if (rule && 'least' in rule) {
    const most = Math.min(rule.most, 4);
    shapes.push(...[0, 1, 2].map(() => fc.array(operand, { minLength: Math.min(rule.least, most), maxLength: most })));
  }
  if (rule && 'fields' in rule) {
    const given = Object.keys(rule.fields).filter((field) => rule.fields[field] !== undefined);
    const others = Object.fromEntries(Object.keys(rule.fields).map((field) => [field, operand]));
    const record = fc.record(others, { requiredKeys: given });
    shapes.push(record, record, record);
  }
  return fc.oneof(...shapes).map((argument) => new Map([[name, argument]]));
}

/** Documents that operators are let loose on. */
export const anyDocument: fc.Arbitrary<Uint8Array> = fields(fc.constantFrom('_id', 'a', 'b', '__proto__'), extreme).map(
  (document) => encodeDocument(new Map(document)),
);

const path = fc.constantFrom<unknown>('a', 'b', '_id', 'a.b', 'a.0.b', '__proto__.a', '$a', '');
const field = fc.constantFrom<unknown>('$a', '$b', '$a.b', '$$ROOT', '$__proto__', { $literal: Number.NaN });
const output = fc.constantFrom<unknown>({ v: { $push: '$a' } }, { v: { $sum: '$a' } }, { v: { $mergeObjects: '$a' } });
const sortBy = fc.constantFrom<unknown>({ a: 1 }, { b: -1 }, { a: 1, b: -1 }, { 'a.b': 1 });

/** What stages take besides, so that what is extreme gets beyond their parsers. */
const STAGE_FIELDS: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
  $bucket: { groupBy: field, boundaries: fc.array(extreme, { minLength: 2, maxLength: 3 }), default: extreme, output },
  $bucketAuto: {
    groupBy: field,
    buckets: fc.constantFrom(1, 2, 2 ** 31 - 1),
    output,
    granularity: fc.constantFrom('R5', 'E192', '1-2-5', 'POWERSOF2'),
  },
  $densify: {
    field: path,
    partitionByFields: fc.constantFrom<unknown>([], ['b']),
    range: fc.record(
      { step: extreme, bounds: fc.oneof(fc.constant('full'), fc.tuple(extreme, extreme)), unit: extreme },
      { requiredKeys: ['step', 'bounds'] },
    ),
  },
  $fill: {
    sortBy,
    output: fc.constantFrom<unknown>({ a: { method: 'linear' } }, { a: { method: 'locf' } }, { a: { value: '$b' } }),
  },
  $graphLookup: {
    from: fc.constant('c'),
    startWith: field,
    connectFromField: path,
    connectToField: path,
    as: path,
    maxDepth: extreme,
    depthField: path,
    restrictSearchWithMatch: extremeObject,
  },
  $lookup: {
    from: fc.constant('c'),
    localField: path,
    foreignField: path,
    as: path,
    let: fc.constantFrom<unknown>({}, { x: '$a' }),
    pipeline: fc.array(extremeObject, { maxLength: 1 }),
  },
  $unwind: { path: field, includeArrayIndex: path, preserveNullAndEmptyArrays: fc.boolean() },
  $setWindowFields: {
    partitionBy: field,
    sortBy,
    output: fc.constantFrom<unknown>({ v: { $sum: '$a' } }, { v: { $shift: { output: '$a', by: 2 ** 31 } } }),
  },
  $sample: { size: extreme },
  $replaceRoot: { newRoot: field },
  $group: { _id: field, v: fc.constantFrom<unknown>({ $sum: '$a' }, { $max: '$a' }, { $addToSet: '$a' }) },
  $sort: { a: fc.constantFrom(1, -1), 'a.b': extreme, __proto__x: extreme },
  $project: { a: extreme, 'a.b': extreme, b: extreme },
  $set: { a: extreme, 'a.b': extreme, 'b.0.c': extreme },
};

/** What a stage is given. */
export function stageSpec(name: string): fc.Arbitrary<unknown> {
  const known = STAGE_FIELDS[name];
  if (known === undefined) return fc.oneof(extreme, extremeObject);
  const record = fc.record(known, { requiredKeys: [] });
  return fc.oneof(record, record, fc.record(known), extremeObject);
}

const position = fc.array(fc.oneof(extreme, fc.constantFrom(0, 1, 181, -91, 1e300, Number.NaN)), { maxLength: 3 });
const shape = fc.oneof(
  position,
  fc.array(position, { maxLength: 5 }),
  fc.array(fc.array(position, { maxLength: 5 }), { maxLength: 2 }),
);
const kind = fc.constantFrom('Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiPolygon', 'GeometryCollection', 'x');

/** What is within, near or across what. */
export const geometry: fc.Arbitrary<unknown> = fc.oneof(
  fc.record(
    { $geometry: fc.record({ type: kind, coordinates: shape }), $maxDistance: extreme },
    { requiredKeys: ['$geometry'] },
  ),
  fc.record({ $box: shape }),
  fc.record({ $center: fc.tuple(position, extreme) }),
  fc.record({ $centerSphere: fc.tuple(position, extreme) }),
  fc.record({ $polygon: shape }),
);

const input = fc.oneof(field, field, operand);
const several = fc.record({ input, n: fc.oneof(fc.constantFrom(1, 2), extreme) });
const one = { sortBy: fc.oneof(sortBy, sortBy, extremeObject), output: input };
const some = fc.record({ ...one, n: fc.oneof(fc.constantFrom(1, 2), extreme) });
const method = fc.constant('approximate');
const unit = fc.oneof(fc.constantFrom('day', 'millisecond'), extreme);

/** What accumulators and window functions take that are given no single expression. */
const ARGUMENTS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...{ $firstN: several, $lastN: several, $minN: several, $maxN: several },
  ...{ $top: fc.record(one), $bottom: fc.record(one), $topN: some, $bottomN: some },
  $median: fc.record({ input, method }),
  $percentile: fc.record({ input, method, p: fc.oneof(fc.constant([0, 0.5, 1]), extreme) }),
  $covariancePop: fc.tuple(input, input),
  $covarianceSamp: fc.tuple(input, input),
  $derivative: fc.record({ input, unit }, { requiredKeys: ['input'] }),
  $integral: fc.record({ input, unit }, { requiredKeys: ['input'] }),
  $expMovingAvg: fc.oneof(fc.record({ input, N: extreme }), fc.record({ input, alpha: extreme })),
  $shift: fc.record(
    { output: input, by: fc.oneof(fc.constantFrom(-1, 2 ** 31 - 1), extreme), default: extreme },
    { requiredKeys: ['output', 'by'] },
  ),
  ...{ $rank: fc.constant({}), $denseRank: fc.constant({}), $documentNumber: fc.constant({}), $count: fc.constant({}) },
};

/** What an accumulator or a window function is given. */
export function accumulatorArgument(name: string): fc.Arbitrary<unknown> {
  const known = ARGUMENTS[name];
  return known ? fc.oneof(known, known, known, extreme) : fc.oneof(input, input, extreme);
}

const bound = fc.oneof(fc.constantFrom<unknown>('unbounded', 'current', -1, 1, -(2 ** 31)), extreme);

/** Of a window, if it has any. */
export const windowBounds = fc.option(fc.tuple(bound, bound), { nil: undefined, freq: 2 });
