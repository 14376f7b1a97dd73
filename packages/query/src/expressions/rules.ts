/**
 * What operators take, and the numbers by which mongod refuses anything else. A mistake in the shape
 * is one where there is no document too; what is wrong with values each operator says, once they are computed.
 * Upstream: expression.cpp, which numbers each of its assertions.
 */

/** So many arguments, one after the other. */
export interface Positional {
  readonly least: number;
  readonly most: number;
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
}

const FAILED_TO_PARSE = 9;
const optional = undefined;

const takes = (least: number, most: number): Positional => ({ least, most });
const one = takes(1, 1);
const two = takes(2, 2);
const any = takes(0, Number.POSITIVE_INFINITY);
const conversion: Positional = { ...one, otherCount: 50723 };
const named = (notObject: number, unknown: number, fields: Named['fields']): Named => ({ notObject, unknown, fields });

const trim = named(50696, 50694, { input: 50695, chars: optional });
const regex = named(51103, 31024, { input: 31022, regex: 31023, options: optional });
const replace = named(51751, 51750, { input: 51749, find: 51748, replacement: 51747 });
const several = (notObject: number) => named(notObject, 5787901, { n: 5787906, input: 5787907 });
const dateArithmetic = named(5166400, 5166401, {
  startDate: 5166402,
  unit: 5166402,
  amount: 5166402,
  timezone: optional,
});
const quantiles = { input: 40414, method: 40414 };

/** By operator. */
export const expressionRules: Readonly<Record<string, Positional | Named>> = {
  // Numbers
  $abs: one,
  $add: any,
  $ceil: one,
  $divide: two,
  $exp: one,
  $floor: one,
  $ln: one,
  $log: two,
  $log10: one,
  $mod: two,
  $multiply: any,
  $pow: two,
  $round: takes(1, 2),
  $sigmoid: any,
  $sqrt: one,
  $subtract: two,
  $trunc: takes(1, 2),
  $bitAnd: any,
  $bitNot: one,
  $bitOr: any,
  $bitXor: any,
  $acos: one,
  $acosh: one,
  $asin: one,
  $asinh: one,
  $atan: one,
  $atan2: two,
  $atanh: one,
  $cos: one,
  $cosh: one,
  $degreesToRadians: one,
  $radiansToDegrees: one,
  $sin: one,
  $sinh: one,
  $tan: one,
  $tanh: one,
  // Arrays
  $arrayElemAt: two,
  $arrayToObject: one,
  $concatArrays: any,
  $filter: named(28646, 28647, { input: 28648, cond: 28650, as: optional, limit: optional }),
  $first: one,
  $firstN: several(5787801),
  $in: two,
  $indexOfArray: takes(2, 4),
  $isArray: one,
  $last: one,
  $lastN: several(5787801),
  $map: named(16878, 16879, { input: 16880, in: 16882, as: optional }),
  $maxN: several(5787900),
  $minN: several(5787900),
  $range: takes(2, 3),
  $reduce: named(40075, 40076, { input: 40077, initialValue: 40078, in: 40079 }),
  $reverseArray: one,
  $size: one,
  $slice: takes(2, 3),
  $sortArray: named(2942500, 2942501, { input: 2942502, sortBy: 2942503 }),
  $zip: named(34460, 34464, { inputs: 34465, useLongestLength: optional, defaults: optional }),
  $allElementsTrue: one,
  $anyElementTrue: one,
  $setDifference: two,
  $setEquals: { ...takes(2, Number.POSITIVE_INFINITY), otherCount: 17045 },
  $setIntersection: any,
  $setIsSubset: two,
  $setUnion: any,
  // Strings
  $concat: any,
  $indexOfBytes: takes(2, 4),
  $indexOfCP: takes(2, 4),
  $ltrim: trim,
  $regexFind: regex,
  $regexFindAll: regex,
  $regexMatch: regex,
  $replaceAll: replace,
  $replaceOne: replace,
  $rtrim: trim,
  $split: two,
  $strLenBytes: one,
  $strLenCP: one,
  $strcasecmp: two,
  $substr: takes(3, 3),
  $substrBytes: takes(3, 3),
  $substrCP: takes(3, 3),
  $toLower: one,
  $toUpper: one,
  $trim: trim,
  // Objects
  $getField: any,
  $mergeObjects: any,
  $objectToArray: one,
  $setField: named(4161100, 4161101, { field: 4161102, value: 4161103, input: 4161109 }),
  $unsetField: named(4161100, 4161101, { field: 4161102, input: 4161109 }),
  // Dates
  $dateAdd: dateArithmetic,
  $dateDiff: named(5166301, 5166302, {
    startDate: 5166303,
    endDate: 5166304,
    unit: 5166305,
    timezone: optional,
    startOfWeek: optional,
  }),
  $dateFromParts: named(40519, 40518, {
    ...{ year: optional, month: optional, day: optional },
    ...{ isoWeekYear: optional, isoWeek: optional, isoDayOfWeek: optional },
    ...{ hour: optional, minute: optional, second: optional, millisecond: optional, timezone: optional },
  }),
  $dateFromString: named(40540, 40541, {
    dateString: 40542,
    timezone: optional,
    format: optional,
    onNull: optional,
    onError: optional,
  }),
  $dateSubtract: dateArithmetic,
  $dateToParts: named(40524, 40520, { date: 40522, timezone: optional, iso8601: optional }),
  $dateToString: named(18629, 18534, { date: 18628, format: optional, timezone: optional, onNull: optional }),
  $dateTrunc: named(5439007, 5439008, {
    date: 5439009,
    unit: 5439010,
    binSize: optional,
    timezone: optional,
    startOfWeek: optional,
  }),
  $dayOfMonth: any,
  $dayOfWeek: any,
  $dayOfYear: any,
  $hour: any,
  $isoDayOfWeek: any,
  $isoWeek: any,
  $isoWeekYear: any,
  $millisecond: any,
  $minute: any,
  $month: any,
  $second: any,
  $tsIncrement: one,
  $tsSecond: one,
  $week: any,
  $year: any,
  // Types
  $binarySize: one,
  $bsonSize: one,
  $convert: named(FAILED_TO_PARSE, FAILED_TO_PARSE, {
    input: FAILED_TO_PARSE,
    to: FAILED_TO_PARSE,
    onError: optional,
    onNull: optional,
    format: optional,
  }),
  $isNumber: one,
  $toBool: conversion,
  $toDate: conversion,
  $toDecimal: conversion,
  $toDouble: conversion,
  $toHashedIndexKey: one,
  $toInt: conversion,
  $toLong: conversion,
  $toObjectId: conversion,
  $toString: conversion,
  $toUUID: conversion,
  $type: one,
  // Conditions, comparisons, variables
  $and: any,
  $cmp: two,
  // biome-ignore lint/suspicious/noThenProperty: it is MongoDB's name for it
  $cond: named(16020, 17083, { if: 17080, then: 17081, else: 17082 }),
  $eq: two,
  $gt: two,
  $gte: two,
  $ifNull: { ...takes(2, Number.POSITIVE_INFINITY), otherCount: 1257300 },
  $let: named(16874, 16875, { vars: 16876, in: 16877 }),
  $const: any,
  $literal: any,
  $lt: two,
  $lte: two,
  $ne: two,
  $not: one,
  $or: any,
  $switch: named(40060, 40067, { branches: 40068, default: optional }),
  // Accumulators that are expressions too
  $avg: any,
  $max: any,
  $median: named(7436201, 40415, quantiles),
  $min: any,
  $percentile: named(7436200, 40415, { ...quantiles, p: 40414 }),
  $stdDevPop: any,
  $stdDevSamp: any,
  $sum: any,
};
