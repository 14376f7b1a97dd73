import { type BsonWriter, CommandError, type VersionTraits, writeJsValue } from '@replsim/protocol';
import type { CollectionView } from '@replsim/storage';
import type { CommandArguments } from '../fields/arguments.ts';
import { Fields } from '../fields/fields.ts';
import { INT32_MAX, isNumeric, numberOf } from '../fields/values.ts';

/** The limits of a capped collection, of which the oldest documents go when it exceeds them. */
export interface CappedLimits {
  readonly sizeBytes: number;
  readonly maxDocuments: number;
}

/** Undefined for a collection that is not capped. */
export function cappedLimits({ options }: Pick<CollectionView, 'options'>): CappedLimits | undefined {
  if (options.length === 5) return undefined;
  const fields = new Fields(options, 'options');
  if (!fields.bool('capped')) return undefined;
  return { sizeBytes: fields.number('size') ?? Infinity, maxDocuments: fields.number('max') || Infinity };
}

/** Checks `capped`, `size` and `max` of `create`, and writes those that are kept. Errors: InvalidOptions 72, 51024. */
export function writeCappedOptions(args: CommandArguments, writer: BsonWriter, traits: VersionTraits): void {
  const capped = args.bool('capped');
  const size = limitIn(args, 'size');
  const max = limitIn(args, 'max');
  if (!capped && (size !== undefined || max !== undefined)) {
    throw new CommandError(
      'InvalidOptions',
      "the 'capped' field needs to be true when either the 'size' or 'max' fields are present",
    );
  }
  if (!capped) return;
  if (size === undefined)
    throw new CommandError('InvalidOptions', "the 'size' field is required when 'capped' is true");
  writer.bool('capped', true);
  writeJsValue(writer, 'size', cappedSizeOf(size, traits));
  if (max !== undefined) writeJsValue(writer, 'max', cappedMaxOf(max));
}

/** Unit: bytes. Upstream: create.idl; collection_options.cpp, checkAndAdjustCappedSize. */
const MAX_SIZE = 2 ** 50;

/** A limit of a capped collection, if it is there. Throws 51024 for one that is out of range. Upstream: create.idl. */
export function limitIn(args: CommandArguments, name: 'size' | 'max' | 'cappedSize' | 'cappedMax'): number | undefined {
  const limit = args.number(name);
  if (limit === undefined) return undefined;
  const isSize = name === 'size' || name === 'cappedSize';
  if (isSize && limit < 1) throw notWithin(name, '>= 1', limit);
  if (isSize && limit > MAX_SIZE) throw notWithin(name, `<= ${MAX_SIZE}`, limit);
  if (!isSize && limit > INT32_MAX) throw notWithin(name, `< ${INT32_MAX + 1}`, limit);
  return limit;
}

function notWithin(name: string, bound: string, limit: number): CommandError {
  return new CommandError(51024, `BSON field '${name}' value must be ${bound}, actual value '${limit}'`);
}

/**
 * The `size` of what makes a capped collection of another one. Errors: InvalidOptions 72 without it and for what is not above 0,
 * BadValue 2 for more than there can be. Upstream: collection_to_capped.cpp; collection_options.cpp, checkAndAdjustCappedSize.
 */
export function sizeOfCopy(args: CommandArguments, traits: VersionTraits): number {
  const value = args.value('size');
  const size = value && isNumeric(value.type) ? numberOf(value) : 0;
  if (!(size >= 1)) throw new CommandError('InvalidOptions', 'Capped collection size must be greater than zero');
  if (size > MAX_SIZE) throw new CommandError('BadValue', 'size cannot exceed 1 PB');
  return cappedSizeOf(size, traits);
}

/** Rounded up, where the release does so. Upstream: collection_options.cpp, adjustCappedSize. */
export function cappedSizeOf(size: number, { cappedSizesAsSent }: VersionTraits): number {
  return cappedSizesAsSent ? Math.trunc(size) : Math.ceil(size / 256) * 256;
}

/** None is as many as there can be. Upstream: collection_options.cpp, adjustCappedMaxDocs. */
export function cappedMaxOf(max: number): number {
  return max > 0 ? max : INT32_MAX;
}
