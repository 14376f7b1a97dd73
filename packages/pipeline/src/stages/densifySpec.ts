import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { compareValues } from '@replsim/query';
import { elementsOf, Fields } from '../fields/fields.ts';
import { isNumeric, numberOf } from '../fields/values.ts';
import { checkTimeUnit } from './timeUnits.ts';

/** A `$densify`, parsed. */
export interface Densify {
  readonly field: string;
  readonly partitionBy: readonly string[];
  readonly step: BsonValue;
  readonly stepNumber: number;
  /** Of a sequence of dates. */
  readonly unit: string | undefined;
  readonly bounds: 'full' | 'partition' | { readonly lower: BsonValue; readonly upper: BsonValue };
}

/**
 * Reads `{ field, partitionByFields, range: { step, bounds, unit } }`. Errors: IDLFailedToParse 40414, 40415, TypeMismatch 14,
 * FailedToParse 9 for a unit, Location5733401 to 5733410, 5876900, 5946800, 5946802, 6586400.
 * Upstream: document_source_densify.cpp, RangeStatement::parse.
 */
export function parseDensify(spec: Uint8Array): Densify {
  const fields = new Fields(spec, '$densify');
  fields.allow(new Set(['field', 'partitionByFields', 'range']));
  const field = fields.requiredString('field');
  const partitionBy = (fields.array('partitionByFields') ?? []).map((name) => {
    if (name.type === BsonType.string) return readString(name);
    throw new CommandError(
      'TypeMismatch',
      "BSON field '$densify.partitionByFields' is the wrong type, expected strings",
    );
  });
  const range = new Fields(fields.requiredDocument('range'), '$densify.range');
  range.allow(new Set(['step', 'bounds', 'unit']));
  const step = range.numeric('step') ?? range.missing('step');
  const unit = range.string('unit');
  const bound = range.value('bounds') ?? range.missing('bounds');
  const stepNumber = numberOf(step);
  if (!(stepNumber > 0)) {
    throw new CommandError(
      5733401,
      'The step parameter in a range statement must be a strictly positive numeric value',
    );
  }
  if (unit !== undefined) {
    if (!Number.isInteger(stepNumber)) {
      throw new CommandError(6586400, 'The step parameter must be a whole number when densifying a date range');
    }
    checkTimeUnit(unit);
  }
  const bounds = parseBounds(bound, step, unit);
  if (bounds === 'partition' && partitionBy.length === 0) {
    throw new CommandError(
      5733408,
      "One cannot specify the bounds as 'partition' without a non-empty array of partitionByFields",
    );
  }
  return { field, partitionBy, step, stepNumber, unit, bounds };
}

function parseBounds(value: BsonValue, step: BsonValue, unit: string | undefined): Densify['bounds'] {
  if (value.type === BsonType.string) {
    const word = readString(value);
    if (word === 'full' || word === 'partition') return word;
    throw new CommandError(5946802, "Bounds string must either be 'full' or 'partition'");
  }
  if (value.type !== BsonType.array) {
    throw new CommandError(
      5733404,
      "The bounds in a range statement must be the string 'full', 'partition', or an ascending array",
    );
  }
  const [lower, upper, ...more] = elementsOf(value);
  if (!lower || !upper || more.length > 0) {
    throw new CommandError(5733403, 'A bounding array in a range statement must have exactly two elements');
  }
  if (compareValues(lower, upper) > 0) {
    throw new CommandError(5733402, 'A bounding array must be an ascending array of either two dates or two numbers');
  }
  checkTypes(lower, upper, step, unit);
  return { lower, upper };
}

function checkTypes(lower: BsonValue, upper: BsonValue, step: BsonValue, unit: string | undefined): void {
  const both = 'A bounding array must contain either both dates or both numeric types';
  if (isNumeric(lower.type)) {
    if (unit !== undefined) throw new CommandError(5733409, 'Numeric bounds may not have unit parameter');
    if (!isNumeric(upper.type)) throw new CommandError(5733406, both);
    if (lower.type !== upper.type || lower.type !== step.type) {
      throw new CommandError(5876900, 'Upper bound, lower bound, and step must all have the same type');
    }
  } else if (lower.type === BsonType.date) {
    if (upper.type !== BsonType.date) throw new CommandError(5733405, both);
    if (unit === undefined) throw new CommandError(5733410, 'A bounding array of dates must specify a unit');
  } else throw new CommandError(5946800, 'Explicit bounds must be numeric or dates');
}
