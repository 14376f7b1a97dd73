/** From operators to ranges of an index. Upstream: index_bounds_builder.cpp, IndexBoundsBuilder::translate. */
import { BsonType, type BsonValue, isDecimalNaN, readDouble } from '@replsim/protocol';
import { type Collator, UNDEFINED } from '@replsim/query';
import { elementsOf } from '../fields/fields.ts';
import { isNumeric } from '../fields/values.ts';
import { type Leaf, regexTexts } from './filterTree.ts';
import { type Bound, boundAt, EVERYTHING, type Interval, isPoint, meetsNull, pointAt, union } from './interval.ts';
import { newValue } from './newValue.ts';

/** Where in an index the matches of one operator are. */
export interface LeafBounds {
  /** In ascending order and apart from each other. */
  readonly intervals: readonly Interval[];
  /** Every key in them is a match, so that the document need not be asked again. */
  readonly exact: boolean;
  /** No match lacks the path; a sparse index holds them all. */
  readonly needsPresence: boolean;
}

/**
 * The bounds of a leaf in an index with this collation, undefined where an index is no help. Simplifications: negations, `$elemMatch` and `$type` get none
 * (upstream gives them some), nor do paths with a number in them, where an index sees one element and a filter several.
 */
export function boundsOf(leaf: Leaf, collator?: Collator): LeafBounds | undefined {
  return hasNumber(leaf) ? undefined : boundsOfOperator(leaf, collator);
}

/** Whether the path has a number in it. */
export function hasNumber({ path }: Leaf): boolean {
  return /\.\d+(\.|$)/.test(path);
}

/** The bounds of a leaf, whatever its path is. */
export function boundsOfOperator({ operator, operand, negated }: Leaf, collator?: Collator): LeafBounds | undefined {
  if (negated) return operator === '$exists' ? nullBounds() : undefined;
  switch (operator) {
    case '$eq':
      return bounds(...equality(operand, collator));
    case '$in':
      return inBounds(operand, collator);
    case '$regex':
      return bounds(regexIntervals(operand, collator), false);
    case '$exists':
      return { intervals: [EVERYTHING], exact: false, needsPresence: true };
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      return rangeBounds(operator, operand, collator);
    default:
      return undefined;
  }
}

function bounds(intervals: readonly Interval[], exact: boolean): LeafBounds {
  const inOrder = union(intervals);
  return { intervals: inOrder, exact, needsPresence: !meetsNull(inOrder) };
}

function nullBounds(): LeafBounds {
  return bounds(nullPoints(), false);
}

/** Null, and what an empty array leaves: both may stand for what equals null. */
function nullPoints(): Interval[] {
  return [pointAt(UNDEFINED), pointAt(NULL)];
}

/** The points at which an equal value is found, and whether nothing else is there. */
function equality(value: BsonValue, collator: Collator | undefined): [intervals: Interval[], exact: boolean] {
  switch (value.type) {
    case BsonType.null:
    case BsonType.undefined:
      return [nullPoints(), false];
    case BsonType.array: {
      // The array itself is a key only where it lies in another; else its elements are, of which the first will do.
      const [first] = elementsOf(value);
      return [[pointAt(first ?? UNDEFINED, collator), pointAt(value, collator)], false];
    }
    default:
      return [[pointAt(value, collator)], true];
  }
}

function inBounds(operand: BsonValue, collator: Collator | undefined): LeafBounds {
  const each = elementsOf(operand).map((value): [Interval[], boolean] =>
    value.type === BsonType.regex ? [regexIntervals(value, collator), false] : equality(value, collator),
  );
  return bounds(
    each.flatMap(([intervals]) => intervals),
    each.every(([, exact]) => exact),
  );
}

/**
 * Strings, those with the prefix if the pattern begins with one, and the pattern itself where it is stored. What begins alike
 * need not lie together in a collation.
 */
function regexIntervals(regex: BsonValue, collator: Collator | undefined): Interval[] {
  const { pattern, options } = regexTexts(regex);
  const prefix =
    options === '' && collator === undefined ? /^\^([\w ]+)(?=$|[^\w *+?{|])(?!.*\|)/.exec(pattern)?.[1] : undefined;
  const low = prefix ?? '';
  const strings: Interval = {
    low: boundAt(stringValue(low), collator),
    lowInclusive: true,
    high: prefix ? boundAt(stringValue(successorOf(prefix))) : boundAt(EMPTY_OBJECT),
    highInclusive: false,
  };
  return [strings, pointAt(regex)];
}

/** The first string behind all that begin with the prefix, which is ASCII. */
function successorOf(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}

function rangeBounds(operator: string, operand: BsonValue, collator: Collator | undefined): LeafBounds | undefined {
  const orEqual = operator.endsWith('e');
  if (operand.type === BsonType.null || operand.type === BsonType.undefined) {
    return orEqual ? nullBounds() : bounds([], true);
  }
  if (isNaNNumber(operand)) return orEqual ? bounds([pointAt(operand)], true) : bounds([], true);
  const ends = endsOf(operand.type, collator);
  if (!ends) return undefined;
  const bound = boundAt(operand, collator);
  const upwards = operator.startsWith('$gt');
  const interval: Interval = upwards
    ? { low: bound, lowInclusive: orEqual, high: ends.high, highInclusive: ends.highInclusive }
    : { low: ends.low, lowInclusive: true, high: bound, highInclusive: orEqual };
  // Above the greatest and below the least value there is nothing.
  return bounds(isPoint(interval) && !orEqual ? [] : [interval], true);
}

interface Ends {
  readonly low: Bound;
  readonly high: Bound;
  readonly highInclusive: boolean;
}

/**
 * The values between which all of a type lie. None for arrays, of which an index holds the elements, nor for MinKey and
 * MaxKey, which ranges of every type meet. Upstream: bsonobjbuilder.cpp, appendMinForType and appendMaxForType.
 */
function endsOf(type: number, collator: Collator | undefined): Ends | undefined {
  if (isNumeric(type)) return NUMBERS;
  if (type === BsonType.string && collator) return { ...STRINGS, low: boundAt(STRINGS.low.value, collator) };
  return endsByType.get(type);
}

const NULL = newValue((writer, name) => writer.null(name));
const EMPTY_OBJECT = newValue((writer, name) => writer.rawDocument(name, Uint8Array.of(5, 0, 0, 0, 0)));
const EMPTY_ARRAY = newValue((writer, name) => writer.rawArray(name, Uint8Array.of(5, 0, 0, 0, 0)));
const NUMBERS: Ends = {
  low: boundAt(newValue((writer, name) => writer.double(name, -Infinity))),
  high: boundAt(newValue((writer, name) => writer.double(name, Infinity))),
  highInclusive: true,
};

const upToNext = (low: BsonValue, next: BsonValue): Ends => ({
  low: boundAt(low),
  high: boundAt(next),
  highInclusive: false,
});
const upTo = (low: BsonValue, high: BsonValue): Ends => ({
  low: boundAt(low),
  high: boundAt(high),
  highInclusive: true,
});

const FIRST_OBJECT_ID = newValue((writer, name) => writer.objectId(name, new Uint8Array(12)));
const STRINGS = upToNext(stringValue(''), EMPTY_OBJECT);

const endsByType = new Map<number, Ends>([
  [BsonType.string, STRINGS],
  [BsonType.symbol, STRINGS],
  [BsonType.object, upToNext(EMPTY_OBJECT, EMPTY_ARRAY)],
  [
    BsonType.binData,
    upToNext(
      newValue((writer, name) => writer.binary(name, 0, new Uint8Array(0))),
      FIRST_OBJECT_ID,
    ),
  ],
  [
    BsonType.objectId,
    upTo(
      FIRST_OBJECT_ID,
      newValue((writer, name) => writer.objectId(name, new Uint8Array(12).fill(0xff))),
    ),
  ],
  [
    BsonType.bool,
    upTo(
      newValue((writer, name) => writer.bool(name, false)),
      newValue((writer, name) => writer.bool(name, true)),
    ),
  ],
  [
    BsonType.date,
    upTo(
      newValue((writer, name) => writer.date(name, -(2n ** 63n))),
      newValue((writer, name) => writer.date(name, 2n ** 63n - 1n)),
    ),
  ],
  [
    BsonType.timestamp,
    upTo(
      newValue((writer, name) => writer.timestamp(name, { t: 0, i: 0 })),
      newValue((writer, name) => writer.timestamp(name, { t: 0xffffffff, i: 0xffffffff })),
    ),
  ],
]);

function stringValue(text: string): BsonValue {
  return newValue((writer, name) => writer.string(name, text));
}

function isNaNNumber({ type, bytes, offset }: BsonValue): boolean {
  if (type === BsonType.double) return Number.isNaN(readDouble(bytes, offset));
  return type === BsonType.decimal && isDecimalNaN(bytes, offset);
}
