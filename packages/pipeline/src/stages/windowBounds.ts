/** The window of a window function: which documents around one it sees. Upstream: window_bounds.cpp, partition_iterator.cpp. */
import { BsonType, type BsonValue, CommandError, readInt64AsNumber, readString } from '@replsim/protocol';
import { valueAtPath } from '@replsim/query';
import { EMPTY_DOCUMENT } from '../fields/documents.ts';
import { elementsOf, Fields } from '../fields/fields.ts';
import { bytesOf, isNumeric, numberOf, typeName } from '../fields/values.ts';
import { compileComputed, type ExpressionWorld } from './expressions.ts';
import { addTime, checkTimeUnit } from './timeUnits.ts';

/** Where the window of the document at `index` begins and ends in its partition; the end is not in it. */
export type Window = (partition: readonly Uint8Array[], index: number) => readonly [start: number, end: number];

export const wholePartition: Window = (partition) => [0, partition.length];

type Bound = 'unbounded' | 'current' | number;

/**
 * Reads `{ documents: [lower, upper] }` or `{ range: [lower, upper], unit }`.
 * Errors: FailedToParse 9, Location5339900 to 5339902, 8947401; of documents, Location5429413, 5429414, 5429513.
 */
export function parseWindow(spec: BsonValue, sortBy: Uint8Array | undefined, world: ExpressionWorld): Window {
  if (spec.type !== BsonType.object) throw failed("'window' field must be an object");
  const fields = new Fields(bytesOf(spec), 'window');
  const documents = fields.rawValue('documents');
  const range = fields.rawValue('range');
  const unit = fields.rawValue('unit');
  if (documents && range) throw failed("Window bounds can specify either 'documents' or 'range', not both");
  if (unit && !range) throw failed("Window bounds can only specify 'unit' with range-based bounds");
  const unknown = fields.names.find((name) => !['documents', 'range', 'unit'].includes(name));
  if (unknown !== undefined) throw failed(`'window' field cannot have other fields, such as '${unknown}'`);
  if (documents) return documentWindow(parseBounds(documents, 'documents', world), sortBy);
  if (!range) return wholePartition;
  if (unit && unit.type !== BsonType.string) throw failed("'unit' must be a string");
  const bounds = parseBounds(range, unit ? 'time' : 'range', world);
  const unitName = unit && readString(unit);
  if (unitName !== undefined) checkTimeUnit(unitName);
  const sort = new Fields(sortBy ?? EMPTY_DOCUMENT, 'sortBy');
  const [path, ...others] = sort.names;
  if (path === undefined || others.length > 0) {
    throw new CommandError(5339902, 'Range-based bounds require sortBy a single field');
  }
  if (numberOf(sort.presentValue(path)) !== 1) {
    throw new CommandError(8947401, 'Range-based bounds require an ascending sortBy');
  }
  return rangeWindow(bounds, path, unitName);
}

const failed = (message: string) => new CommandError('FailedToParse', message);

function parseBounds(value: BsonValue, kind: 'documents' | 'range' | 'time', world: ExpressionWorld): [Bound, Bound] {
  const elements = value.type === BsonType.array ? elementsOf(value) : [];
  const [lower, upper] = elements.map((element) => parseBound(element, kind, world));
  if (lower === undefined || upper === undefined || elements.length !== 2) {
    throw failed('Window bounds must be a 2-element array');
  }
  if (distanceOf(lower, -1) > distanceOf(upper, 1)) {
    throw new CommandError(5339900, `Lower bound must not exceed upper bound: [${lower}, ${upper}]`);
  }
  return [lower, upper];
}

function parseBound(element: BsonValue, kind: 'documents' | 'range' | 'time', world: ExpressionWorld): Bound {
  if (element.type === BsonType.string) {
    const word = readString(element);
    if (word === 'unbounded' || word === 'current') return word;
    throw failed("Window bounds must be 'unbounded', 'current', or a number");
  }
  const constant = compileComputed(element, world)(EMPTY_DOCUMENT);
  const number = constant && isNumeric(constant.type) ? numberOf(constant) : Number.NaN;
  if (kind === 'range' && Number.isNaN(number)) throw failed('Range-based bounds expression must be a number');
  if (kind === 'documents' && !Number.isInteger(number)) {
    throw failed('Numeric document-based bounds must be an integer');
  }
  if (kind === 'time' && !Number.isInteger(number)) {
    throw failed("With 'unit', range-based bounds must be an integer");
  }
  return number;
}

/** @param side in which direction a bound is without limit */
function distanceOf(bound: Bound, side: 1 | -1): number {
  if (bound === 'unbounded') return side * Number.POSITIVE_INFINITY;
  return bound === 'current' ? 0 : bound;
}

function documentWindow([lower, upper]: readonly [Bound, Bound], sortBy: Uint8Array | undefined): Window {
  if (!sortBy && (lower !== 'unbounded' || upper !== 'unbounded')) {
    throw new CommandError(5339901, 'Document-based bounds require a sortBy');
  }
  const from = distanceOf(lower, -1);
  const to = distanceOf(upper, 1);
  return (partition, index) => {
    const start = Math.min(Math.max(index + from, 0), partition.length);
    return [start, Math.max(start, Math.min(index + to + 1, partition.length))];
  };
}

/**
 * By the values of the sort field; null and what is of other types lies outside of every window. `current` is the document alone, where 0
 * takes in all that have its value.
 */
function rangeWindow([lower, upper]: readonly [Bound, Bound], path: string, unit: string | undefined): Window {
  const known = new WeakMap<readonly Uint8Array[], Places>();
  return (partition, index) => {
    let places = known.get(partition);
    if (!places) {
      places = placesOf(partition.map((document) => placeOf(valueAtPath(document, path), unit)));
      known.set(partition, places);
    }
    const at = places.all[index] ?? Number.NaN;
    if (Number.isNaN(at)) throw misplaced(valueAtPath(partition[index] ?? EMPTY_DOCUMENT, path), unit);
    const from = lower === 'unbounded' ? Number.NEGATIVE_INFINITY : moved(at, distanceOf(lower, -1), unit);
    const to = upper === 'unbounded' ? Number.POSITIVE_INFINITY : moved(at, distanceOf(upper, 1), unit);
    const start = lower === 'current' ? index : firstWhere(places, (place) => place >= from);
    const end = upper === 'current' ? index + 1 : firstWhere(places, (place) => place > to);
    return [start, Math.max(start, end)];
  };
}

/** Sorted from `low` on up to `high`; what has no place stands before and behind. */
interface Places {
  readonly all: readonly number[];
  readonly low: number;
  readonly high: number;
}

function placesOf(all: readonly number[]): Places {
  const low = all.findIndex((place) => !Number.isNaN(place));
  return { all, low: Math.max(low, 0), high: all.findLastIndex((place) => !Number.isNaN(place)) + 1 };
}

/** The first place of which something holds that holds of all greater ones, by halving. */
function firstWhere({ all, low: from, high: to }: Places, holds: (place: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(all[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function moved(at: number, amount: number, unit: string | undefined): number {
  return unit === undefined ? at + amount : addTime(at, amount, unit);
}

function placeOf(value: BsonValue | undefined, unit: string | undefined): number {
  if (unit === undefined) return value && isNumeric(value.type) ? numberOf(value) : Number.NaN;
  return value?.type === BsonType.date ? readInt64AsNumber(value.bytes, value.offset) : Number.NaN;
}

function misplaced(value: BsonValue | undefined, unit: string | undefined): CommandError {
  const type = value ? typeName(value.type) : 'missing';
  const expected = (what: string) => `Invalid range: Expected the sortBy field to be a ${what}, but it was ${type}`;
  if (unit !== undefined) return new CommandError(5429513, expected('Date'));
  if (value?.type === BsonType.date) {
    return new CommandError(5429413, 'Invalid range: For windows that involve date ranges, a unit must be provided');
  }
  return new CommandError(5429414, expected('number'));
}
