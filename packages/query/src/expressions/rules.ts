/**
 * What operators take, and the numbers by which mongod refuses anything else. A mistake in the shape
 * is one where there is no document too; one in the values is found when they are computed.
 * Upstream: expression.cpp, which numbers each of its assertions.
 */
/** So many arguments, one after the other. */
export interface Positional {
  readonly least: number;
  readonly most: number;
  /** Where a value is of a type that it does not take. */
  readonly refusal: number;
  /** Where their number is another; 16020 or 28667 if it has none of its own. */
  readonly otherCount?: number;
}

/** One object with these fields. */
export interface Named {
  /** Where the argument is no object. */
  readonly notObject: number;
  /** For a name that is not in `fields`. */
  readonly unknown: number;
  /** For a missing one; those that may be missing have none. */
  readonly fields: Readonly<Record<string, number | undefined>>;
  readonly refusal: number;
}

const BAD_VALUE = 2;
const FAILED_TO_PARSE = 9;
const TYPE_MISMATCH = 14;
const CONVERSION_FAILURE = 241;
const optional = undefined;

const takes = (least: number, most: number, refusal: number): Positional => ({ least, most, refusal });
const one = (refusal: number) => takes(1, 1, refusal);
const two = (refusal: number) => takes(2, 2, refusal);
const any = (refusal: number) => takes(0, Number.POSITIVE_INFINITY, refusal);
const conversion: Positional = { ...one(CONVERSION_FAILURE), otherCount: 50723 };
const named = (notObject: number, unknown: number, fields: Named['fields'], refusal: number): Named => ({
  notObject,
  unknown,
  fields,
  refusal,
});

const numeric = one(28765);
const datePart = any(16006);
const trim = named(50696, 50694, { input: 50695, chars: optional }, 50699);
const regex = named(51103, 31024, { input: 31022, regex: 31023, options: optional }, 51104);
const replace = named(51751, 51750, { input: 51749, find: 51748, replacement: 51747 }, 51746);
const several = (notObject: number) => named(notObject, 5787901, { n: 5787906, input: 5787907 }, 5788200);
const dateArithmetic = named(
  5166400,
  5166401,
  { startDate: 5166402, unit: 5166402, amount: 5166402, timezone: optional },
  5166403,
);
const quantiles = named(TYPE_MISMATCH, 40415, { input: 40414, method: 40414 }, TYPE_MISMATCH);

/** By operator. */
export const expressionRules: Readonly<Record<string, Positional | Named>> = {
  // Numbers
  $abs: numeric,
  $add: any(TYPE_MISMATCH),
  $ceil: numeric,
  $divide: two(TYPE_MISMATCH),
  $exp: numeric,
  $floor: numeric,
  $ln: numeric,
  $log: two(28756),
  $log10: numeric,
  $mod: two(16611),
  $multiply: any(TYPE_MISMATCH),
  $pow: two(28762),
  $round: takes(1, 2, 51081),
  $sigmoid: numeric,
  $sqrt: numeric,
  $subtract: two(TYPE_MISMATCH),
  $trunc: takes(1, 2, 51081),
  $bitAnd: any(TYPE_MISMATCH),
  $bitNot: numeric,
  $bitOr: any(TYPE_MISMATCH),
  $bitXor: any(TYPE_MISMATCH),
  $acos: numeric,
  $acosh: numeric,
  $asin: numeric,
  $asinh: numeric,
  $atan: numeric,
  $atan2: two(51044),
  $atanh: numeric,
  $cos: numeric,
  $cosh: numeric,
  $degreesToRadians: numeric,
  $radiansToDegrees: numeric,
  $sin: numeric,
  $sinh: numeric,
  $tan: numeric,
  $tanh: numeric,
  // Arrays
  $arrayElemAt: two(28689),
  $arrayToObject: one(40386),
  $concatArrays: any(28664),
  $filter: named(28646, 28647, { input: 28648, cond: 28650, as: optional, limit: optional }, 28651),
  $first: one(28689),
  $firstN: several(5787801),
  $in: two(40081),
  $indexOfArray: takes(2, 4, 40090),
  $isArray: one(BAD_VALUE),
  $last: one(28689),
  $lastN: several(5787801),
  $map: named(16878, 16879, { input: 16880, in: 16882, as: optional }, 16883),
  $maxN: several(5787900),
  $minN: several(5787900),
  $range: takes(2, 3, 34443),
  $reduce: named(40075, 40076, { input: 40077, initialValue: 40078, in: 40079 }, 40080),
  $reverseArray: one(34435),
  $size: one(17124),
  $slice: takes(2, 3, 28724),
  $sortArray: named(2942500, 2942501, { input: 2942502, sortBy: 2942503 }, 2942504),
  $zip: named(34460, 34464, { inputs: 34465, useLongestLength: optional, defaults: optional }, 34468),
  $allElementsTrue: one(17040),
  $anyElementTrue: one(17041),
  $setDifference: two(17048),
  $setEquals: { ...takes(2, Number.POSITIVE_INFINITY, 17044), otherCount: 17045 },
  $setIntersection: any(17047),
  $setIsSubset: two(17046),
  $setUnion: any(17043),
  // Strings
  $concat: any(16702),
  $indexOfBytes: takes(2, 4, 40091),
  $indexOfCP: takes(2, 4, 40093),
  $ltrim: trim,
  $regexFind: regex,
  $regexFindAll: regex,
  $regexMatch: regex,
  $replaceAll: replace,
  $replaceOne: replace,
  $rtrim: trim,
  $split: two(40085),
  $strLenBytes: one(34473),
  $strLenCP: one(34471),
  $strcasecmp: two(16007),
  $substr: takes(3, 3, 16034),
  $substrBytes: takes(3, 3, 16034),
  $substrCP: takes(3, 3, 34450),
  $toLower: one(16007),
  $toUpper: one(16007),
  $trim: trim,
  // Objects
  $getField: any(3041702),
  $mergeObjects: any(40400),
  $objectToArray: one(40390),
  $setField: named(4161100, 4161101, { field: 4161102, value: 4161103, input: 4161109 }, 4161105),
  $unsetField: named(4161100, 4161101, { field: 4161102, input: 4161109 }, 4161105),
  // Dates
  $dateAdd: dateArithmetic,
  $dateDiff: named(
    5166301,
    5166302,
    { startDate: 5166303, endDate: 5166304, unit: 5166305, timezone: optional, startOfWeek: optional },
    5166307,
  ),
  $dateFromParts: named(
    40519,
    40518,
    {
      ...{ year: optional, month: optional, day: optional },
      ...{ isoWeekYear: optional, isoWeek: optional, isoDayOfWeek: optional },
      ...{ hour: optional, minute: optional, second: optional, millisecond: optional, timezone: optional },
    },
    40515,
  ),
  $dateFromString: named(
    40540,
    40541,
    { dateString: 40542, timezone: optional, format: optional, onNull: optional, onError: optional },
    CONVERSION_FAILURE,
  ),
  $dateSubtract: dateArithmetic,
  $dateToParts: named(40524, 40520, { date: 40522, timezone: optional, iso8601: optional }, 16006),
  $dateToString: named(18629, 18534, { date: 18628, format: optional, timezone: optional, onNull: optional }, 16006),
  $dateTrunc: named(
    5439007,
    5439008,
    { date: 5439009, unit: 5439010, binSize: optional, timezone: optional, startOfWeek: optional },
    5439012,
  ),
  $dayOfMonth: datePart,
  $dayOfWeek: datePart,
  $dayOfYear: datePart,
  $hour: datePart,
  $isoDayOfWeek: datePart,
  $isoWeek: datePart,
  $isoWeekYear: datePart,
  $millisecond: datePart,
  $minute: datePart,
  $month: datePart,
  $second: datePart,
  $tsIncrement: one(5687302),
  $tsSecond: one(5687301),
  $week: datePart,
  $year: datePart,
  // Types
  $binarySize: one(51276),
  $bsonSize: one(31393),
  $convert: named(
    FAILED_TO_PARSE,
    FAILED_TO_PARSE,
    { input: FAILED_TO_PARSE, to: FAILED_TO_PARSE, onError: optional, onNull: optional, format: optional },
    CONVERSION_FAILURE,
  ),
  $isNumber: one(BAD_VALUE),
  $toBool: conversion,
  $toDate: conversion,
  $toDecimal: conversion,
  $toDouble: conversion,
  $toHashedIndexKey: one(BAD_VALUE),
  $toInt: conversion,
  $toLong: conversion,
  $toObjectId: conversion,
  $toString: conversion,
  $toUUID: conversion,
  $type: one(BAD_VALUE),
  // Conditions, comparisons, variables
  $and: any(BAD_VALUE),
  $cmp: two(BAD_VALUE),
  // biome-ignore lint/suspicious/noThenProperty: it is MongoDB's name for it
  $cond: named(16020, 17083, { if: 17080, then: 17081, else: 17082 }, BAD_VALUE),
  $eq: two(BAD_VALUE),
  $gt: two(BAD_VALUE),
  $gte: two(BAD_VALUE),
  $ifNull: { ...takes(2, Number.POSITIVE_INFINITY, BAD_VALUE), otherCount: 1257300 },
  $let: named(16874, 16875, { vars: 16876, in: 16877 }, BAD_VALUE),
  $const: any(BAD_VALUE),
  $literal: any(BAD_VALUE),
  $lt: two(BAD_VALUE),
  $lte: two(BAD_VALUE),
  $ne: two(BAD_VALUE),
  $not: one(BAD_VALUE),
  $or: any(BAD_VALUE),
  $rand: any(3040500),
  $switch: named(40060, 40067, { branches: 40068, default: optional }, 40066),
  // Accumulators that are expressions too
  $avg: any(BAD_VALUE),
  $max: any(BAD_VALUE),
  $median: quantiles,
  $min: any(BAD_VALUE),
  $percentile: { ...quantiles, fields: { ...quantiles.fields, p: 40414 } },
  $stdDevPop: any(BAD_VALUE),
  $stdDevSamp: any(BAD_VALUE),
  $sum: any(BAD_VALUE),
};
